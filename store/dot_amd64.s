#include "textflag.h"

// func sumLanesWide(row *byte, q *float32, blocks int, sums *[8]float32)
TEXT ·sumLanesWide(SB), NOSPLIT, $0-32
	MOVQ row+0(FP), SI
	MOVQ q+8(FP), DI
	MOVQ blocks+16(FP), CX
	MOVQ sums+24(FP), DX
	VMOVUPS (DX), Y0

lanes:
	VMOVUPS (SI), Y1
	VMULPS  (DI), Y1, Y1
	VADDPS  Y1, Y0, Y0
	ADDQ    $32, SI
	ADDQ    $32, DI
	DECQ    CX
	JNZ     lanes
	VMOVUPS Y0, (DX)
	VZEROUPPER
	RET

// func sum8Wide(a, b *byte, blocks int) int32
TEXT ·sum8Wide(SB), NOSPLIT, $0-28
	MOVQ  a+0(FP), SI
	MOVQ  b+8(FP), DI
	MOVQ  blocks+16(FP), CX
	VPXOR Y0, Y0, Y0
	VPXOR Y5, Y5, Y5

bytes:
	VPMOVSXBW (SI), Y1
	VPMOVSXBW (DI), Y2
	VPMADDWD  Y1, Y2, Y1
	VPADDD    Y1, Y0, Y0
	VPMOVSXBW 16(SI), Y3
	VPMOVSXBW 16(DI), Y4
	VPMADDWD  Y3, Y4, Y3
	VPADDD    Y3, Y5, Y5
	ADDQ      $32, SI
	ADDQ      $32, DI
	DECQ      CX
	JNZ       bytes
	VPADDD    Y5, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD    X1, X0, X0
	VPSHUFD   $0x4E, X0, X1
	VPADDD    X1, X0, X0
	VPSHUFD   $0xB1, X0, X1
	VPADDD    X1, X0, X0
	VMOVD     X0, AX
	MOVL      AX, ret+24(FP)
	VZEROUPPER
	RET
