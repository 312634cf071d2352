package configs

import "time"

// Class says whether a key is part of every basis. See the package documentation.
type Class int

const (
	// Semantic keys change what is believed or returned.
	Semantic Class = iota
	// Operational keys change speed, place and memory.
	Operational
)

// key is all that is known of one key of the configuration. A new key is a field of [Config] and a
// row here; a part that comes to life only has its row's built widened.
type key struct {
	// path is the key as files spell it.
	path  string
	class Class
	// want is what a value must be.
	want want
	// built says which values this build honours.
	built built
}

// keys is every key, in the order of default.yaml.
var keys = []key{
	{"store.cache_mb", Operational, ints(8, 1<<20), all},
	{"store.memtable_mb", Operational, ints(1, 1024), all},

	{"ledger.url", Operational, serverURL, all},
	{"ledger.stream", Operational, streamName, all},
	{"ledger.partitions", Operational, ints(0, 1024), all},
	{"ledger.replicas", Operational, ints(1, 5), all},

	{"neo4j.uri", Operational, text(badGraph), all},
	{"neo4j.database", Operational, text(badDatabase), all},
	{"neo4j.user", Operational, text(badDatabase), all},

	{"ingest.group_turns", Operational, ints(1, 65536), all},
	{"ingest.max_line_bytes", Operational, ints(1024, 8<<20), all},
	{"ingest.future_limit", Operational, durations(0, 24*time.Hour), all},

	{"timezone", Operational, zone, all},

	{"llm.protocol", Operational, enum("openai", "anthropic"), all},
	{"llm.url", Operational, text(badModelURL), all},
	{"llm.model", Operational, text(badModelName), all},
	{"llm.key_env", Operational, text(badVariable), all},
	{"llm.timeout", Operational, durations(100*time.Millisecond, 10*time.Minute), all},
	{"llm.attempts", Operational, ints(1, 10), all},

	{"models.dir", Operational, text(badPath), all},
	{"models.hub", Operational, text(badHub), all},
	{"models.mirror", Operational, text(badPath), all},
	{"models.device", Operational, enum("auto", "cpu", "cuda"), all},
	{"models.threads", Operational, ints(1, 1024), all},
	{"models.embed_first", Operational, ints(0, 1<<20), all},

	{"corenlp.url", Operational, text(badServer), all},
	{"corenlp.version", Operational, text(badRelease), all},
	{"corenlp.timeout", Operational, durations(100*time.Millisecond, 10*time.Minute), all},
	{"corenlp.attempts", Operational, ints(1, 10), all},
	{"corenlp.concurrency", Operational, ints(1, 64), all},

	{"eval.error_breakdown", Operational, boolean, only("the error classifier", false)},
	{"eval.pareto", Operational, boolean, only("the cost board", false)},

	{"memory.stm_window", Semantic, ints(1, 1000), all},
	{"memory.wm_capacity", Semantic, ints(0, 1000), all},
	{"memory.write_budget_tokens_per_session_avg", Semantic, ints(0, 1<<20), all},
	{"memory.read_budget_tokens_per_qa_avg", Semantic, ints(1, 1<<20), all},
	{"memory.strong_writes_quota", Semantic, ints(0, 1000), all},
	{"memory.periodic_writes_quota", Semantic, ints(0, 1000), all},

	{"preprocess.rule", Semantic, boolean, all},
	{"preprocess.tiny_seg", Semantic, boolean, all},
	{"preprocess.model", Semantic, modelName, all},

	{"ner.mode", Semantic, enum(ModeA, ModeB, ModeBPrime, ModeC), all},
	{"ner.model", Semantic, modelName, all},
	{"ner.model_zh", Semantic, modelName, all},

	{"alias.jw", Semantic, threshold, all},
	{"alias.token_set", Semantic, threshold, all},
	{"alias.nickname", Semantic, boolean, all},

	{"coref.mode", Semantic, enum(ModeOff, ModeA, ModeB, ModeAC), all},

	{"time.rule", Semantic, boolean, all},
	{"time.sutime", Semantic, boolean, all},
	{"time.llm_low_conf", Semantic, boolean, all},

	{"relation.mode", Semantic, enum(ModeA, ModeAB, ModeC), all},
	{"relation.parse", Semantic, boolean, all},

	{predicatesKey, Semantic, predicates, all},

	{"rbu.fuzzy", Semantic, boolean, all},

	{"assimilate.wm_min", Semantic, floats(0, 1), all},
	{"assimilate.own_word", Semantic, boolean, all},

	{"triggers.tau_keep", Semantic, floats(0, 1), all},
	{"triggers.tau_archive", Semantic, floats(0, 1), all},
	{"triggers.salience", Semantic, boolean, all},
	{"triggers.periodic", Semantic, boolean, all},
	{"triggers.backfill", Semantic, boolean, all},
	{"triggers.reflect_threshold", Semantic, ints(1, 1000), all},
	{"triggers.write_cooldown_turns", Semantic, ints(0, 1000), all},
	{"triggers.backfill_k_turns", Semantic, ints(1, 1000), all},
	{"triggers.topic_cos", Semantic, floats(0, 1), all},

	{"triggers.weights.bias", Semantic, floats(-10, 10), all},
	{"triggers.weights.bounded", Semantic, floats(-10, 10), all},
	{"triggers.weights.dated", Semantic, floats(-10, 10), all},
	{"triggers.weights.doubt", Semantic, floats(-10, 10), all},
	{"triggers.weights.entity", Semantic, floats(-10, 10), all},
	{"triggers.weights.functional", Semantic, floats(-10, 10), all},
	{"triggers.weights.length", Semantic, floats(-10, 10), all},
	{"triggers.weights.novelty", Semantic, floats(-10, 10), all},
	{"triggers.weights.question", Semantic, floats(-10, 10), all},
	{"triggers.weights.repetition", Semantic, floats(-10, 10), all},
	{"triggers.weights.self", Semantic, floats(-10, 10), all},

	{"backfill.llm", Semantic, boolean, all},

	{"events.merge", Semantic, boolean, all},
	{"events.llm_summary", Semantic, boolean, all},

	{"episode.window", Semantic, durations(time.Minute, 8760*time.Hour), all},
	{"episode.topic_shift", Semantic, boolean, all},
	{"episode.cos_th", Semantic, floats(-1, 1), all},

	{"retrieval.k1", Semantic, floats(0, 10), only(weights, 0.9)},
	{"retrieval.b", Semantic, floats(0, 1), only(weights, 0.4)},
	{"retrieval.context_turns", Semantic, ints(0, 8), only(weights, 2)},
	{"retrieval.context_weight", Semantic, floats(0, 1), only(weights, 0.3)},
	{"retrieval.speaker_boost", Semantic, floats(1, 10), all},
	{"retrieval.fusion", Semantic, enum(FusionWeighted, FusionRRF, FusionRRFAdaptive), all},
	{"retrieval.pool", Semantic, ints(10, 10000), all},
	{"retrieval.next_weight", Semantic, floats(0, 10), all},
	{"retrieval.use_static", Semantic, boolean, all},
	{"retrieval.static_weight", Semantic, floats(0, 10), all},
	{"retrieval.time_boost", Semantic, floats(0, 10), all},
	{"retrieval.about_boost", Semantic, floats(0, 10), all},
	{"retrieval.kind_boost", Semantic, floats(0, 10), all},
	{"retrieval.asking", Semantic, floats(0, 1), all},
	{"retrieval.session_share", Semantic, floats(0, 10), all},
	{"retrieval.alias_weight", Semantic, floats(0, 1), all},
	{"retrieval.near_weight", Semantic, floats(0, 1), all},
	{"retrieval.fresh_boost", Semantic, floats(0, 10), all},
	{"retrieval.parts", Semantic, boolean, all},
	{"retrieval.context_alone", Semantic, boolean, all},
	{"retrieval.k_l1", Semantic, ints(1, 1000), all},
	{"retrieval.k_l2", Semantic, ints(1, 1000), all},
	{"retrieval.depth", Semantic, ints(0, 2), all},
	{"retrieval.fanout", Semantic, ints(1, 64), all},
	{"retrieval.expand", Semantic, enum(ExpandPlain, ExpandGate, ExpandLinear), all},
	{"retrieval.expand_weight", Semantic, floats(0.001, 10), all},
	{"retrieval.expansion.most", Semantic, ints(0, 1000), all},
	{"retrieval.expansion.hits", Semantic, ints(1, 64), all},
	{"retrieval.expansion.terms", Semantic, ints(0, 256), all},
	{"retrieval.expansion.names", Semantic, ints(0, 256), all},
	{"retrieval.expansion.near", Semantic, ints(0, 256), all},
	{"retrieval.expansion.facts", Semantic, ints(0, 256), all},
	{"retrieval.rerank_top", Semantic, ints(2, 1000), all},
	{"retrieval.use_bm25", Semantic, boolean, only("an entry other than BM25", true)},
	{"retrieval.use_e5", Semantic, boolean, all},
	{"retrieval.dense_model", Semantic, modelName, all},
	{"retrieval.dense_weight", Semantic, floats(0.01, 10), all},
	{"retrieval.use_colbert_lite", Semantic, boolean, all},
	{"retrieval.colbert_model", Semantic, modelName, all},
	{"retrieval.colbert_weight", Semantic, floats(0.01, 10), all},

	{"rerank.mode", Semantic, enum(RerankNone, RerankMMR, RerankFeatures, RerankCrossEncoder, RerankMonoT5), all},
	{"rerank.mmr", Semantic, boolean, all},
	{"rerank.lambda", Semantic, floats(0.01, 1), all},
	{"rerank.monot5", Semantic, boolean, all},
	{"rerank.model", Semantic, modelName, all},
	{"rerank.model_top", Semantic, ints(2, 1000), all},

	{"pack.mode", Semantic, enum(PackEvidence, PackDetchain, PackCompass), all},
	{"pack.stats", Semantic, boolean, all},
	{"pack.active", Semantic, boolean, all},
	{"pack.scaffold", Semantic, enum(ModeOff, ScaffoldAuto), all},
	{"pack.sessions", Semantic, ints(1, 1000), all},
	{"pack.verbatim", Semantic, ints(0, 1000), all},
	{"pack.pool", Semantic, ints(1, 1000), all},
	{"pack.expansion", Semantic, ints(0, 1000), all},
	{"pack.session_chars", Semantic, ints(0, 1<<20), all},
	{"pack.angles", Semantic, boolean, all},

	{"qa.temporal_prompt", Semantic, boolean, only("a reader", false)},
	{"qa.temporal_checker", Semantic, boolean, only("a reader", false)},
}

// Parts that several keys wait for.
const (
	weights = "scoring with weights of one's own"
)

// aliases are the plan's second spellings, each with the key that it stands for. A file may use
// either, or both where they agree.
var aliases = map[string]string{
	"triggers.keep":                "triggers.tau_keep",
	"triggers.archive":             "triggers.tau_archive",
	"backfill.k":                   "triggers.backfill_k_turns",
	"retrieval.bm25":               "retrieval.use_bm25",
	"retrieval.e5":                 "retrieval.use_e5",
	"retrieval.colbert_lite":       "retrieval.use_colbert_lite",
	"retrieval.entry.bm25":         "retrieval.use_bm25",
	"retrieval.entry.e5":           "retrieval.use_e5",
	"retrieval.entry.colbert_lite": "retrieval.use_colbert_lite",
	"retrieval.use_monot5_small":   "rerank.monot5",
}

// built is the set of a key's values that this build honours. The zero built honours every value in
// range.
type built struct {
	// values are the honoured ones; empty means all.
	values []any
	// missing names what another value would need.
	missing string
}

// all is the built of a part that is wholly there.
var all built

// only is the built of a part of which just these values are there; missing names what the other
// values need.
func only(missing string, values ...any) built { return built{values: values, missing: missing} }
