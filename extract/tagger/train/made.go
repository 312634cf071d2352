package main

import "fmt"

func writeMade(lang, folder, out string, files []string) error { return fmt.Errorf("none") }
