package configs

import "time"

// Config is one effective configuration: every key with its value. The yaml tags are the keys of
// the files; ranges, classes and what this build honours of each key stand in the table keys. A
// Config is made by [Default] or [Load]; one that was changed by hand is checked by
// [Config.Validate].
type Config struct {
	// Store sizes the projection. Operational.
	Store Store `yaml:"store"`
	// Ledger says where the log is. Operational.
	Ledger Ledger `yaml:"ledger"`
	// Neo4j says where the projection into a graph is. Operational.
	Neo4j Neo4j `yaml:"neo4j"`
	// Ingest is the door: what comes in, and how much of it at once. Operational.
	Ingest Ingest `yaml:"ingest"`
	// Timezone is the zone of a turn's time that names none: an IANA name, UTC or an offset such as
	// +08:00. A zone given on the command line goes before it. Operational.
	Timezone string `yaml:"timezone"`
	// LLM is the language model that events.llm_summary and backfill.llm ask. Operational: what it
	// says is in the log, with its name.
	LLM LLM `yaml:"llm"`
	// Models says where models lie and come from, and how they run. Operational.
	Models Models `yaml:"models"`
	// CoreNLP is the server that ner.mode B', coref.mode B, time.sutime and relation.parse ask.
	// Operational: what it says is in the log, with its release.
	CoreNLP CoreNLP `yaml:"corenlp"`
	// Memory holds the plan's windows, quotas and token budgets of layer 2.
	Memory Memory `yaml:"memory"`
	// Preprocess chooses the sentence splitter.
	Preprocess Preprocess `yaml:"preprocess"`
	// NER chooses who finds entities.
	NER NER `yaml:"ner"`
	// Alias says when two names are taken for one entity.
	Alias Alias `yaml:"alias"`
	// Coref chooses who resolves pronouns.
	Coref Coref `yaml:"coref"`
	// Time chooses who reads time expressions.
	Time Time `yaml:"time"`
	// Relation chooses who finds relations.
	Relation Relation `yaml:"relation"`
	// Predicates are the user's own, beside the built-in ones.
	Predicates []Predicate `yaml:"predicates"`
	// RBU is the plan's name for assimilation: read before update.
	RBU RBU `yaml:"rbu"`
	// Assimilate holds what assimilation needs beside the plan's key.
	Assimilate Assimilate `yaml:"assimilate"`
	// Triggers say when layer 2 is written.
	Triggers Triggers `yaml:"triggers"`
	// Backfill says how a gap is filled.
	Backfill Backfill `yaml:"backfill"`
	// Events says how layer 2 is built.
	Events Events `yaml:"events"`
	// Episode says how events are gathered into episodes.
	Episode Episode `yaml:"episode"`
	// Retrieval is the way from a question to its hits.
	Retrieval Retrieval `yaml:"retrieval"`
	// Rerank chooses who orders the first hits again.
	Rerank Rerank `yaml:"rerank"`
	// Pack shapes the evidence pack.
	Pack Pack `yaml:"pack"`
	// QA shapes how a reader answers.
	QA QA `yaml:"qa"`
	// Eval shapes the reports of an evaluation. Operational.
	Eval Eval `yaml:"eval"`
}

// LLM says which language model is asked, where a switch wants one.
type LLM struct {
	// Protocol is openai (chat completions) or anthropic (messages).
	Protocol string `yaml:"protocol"`
	// URL is where the protocol's paths begin; empty means that there is no model.
	URL string `yaml:"url"`
	// Model is the model's name, as the server knows it.
	Model string `yaml:"model"`
	// KeyEnv names the environment variable that holds the server's key; empty for none.
	KeyEnv string `yaml:"key_env"`
	// Timeout bounds one try.
	Timeout time.Duration `yaml:"timeout"`
	// Attempts is how often a request is tried in all.
	Attempts int `yaml:"attempts"`
}

// CoreNLP says which CoreNLP server is asked, where an option wants one.
type CoreNLP struct {
	// URL is the server's address.
	URL string `yaml:"url"`
	// Version is the release that it is to be of.
	Version string `yaml:"version"`
	// Timeout bounds one try.
	Timeout time.Duration `yaml:"timeout"`
	// Attempts is how often a request is tried in all.
	Attempts int `yaml:"attempts"`
	// Concurrency is how many requests are made at a time.
	Concurrency int `yaml:"concurrency"`
}

// Store sizes the projection on disk.
type Store struct {
	// CacheMB is the block cache in MiB.
	CacheMB int `yaml:"cache_mb"`
	// MemtableMB is one memtable in MiB.
	MemtableMB int `yaml:"memtable_mb"`
}

// Ledger says where the log is and how it is laid out.
type Ledger struct {
	// URL is the NATS server, or several with commas between; empty means the one embedded in the
	// process.
	URL string `yaml:"url"`
	// Stream is the name of the log's JetStream stream.
	Stream string `yaml:"stream"`
	// Partitions is the number of subjects that spaces hash onto, fixed when the log is made. 0
	// takes that of the log that is there, and 16 for a new one.
	Partitions int `yaml:"partitions"`
	// Replicas is the number of servers that hold the log; more than one needs a URL.
	Replicas int `yaml:"replicas"`
}

// Neo4j says where the projection into a graph is. Its password is in no file of this kind.
type Neo4j struct {
	// URI is bolt:// or neo4j://, with +s or +ssc for TLS.
	URI string `yaml:"uri"`
	// Database is the database's name; empty is the user's default one.
	Database string `yaml:"database"`
	// User is who writes; empty goes in without credentials.
	User string `yaml:"user"`
}

// Ingest is the door.
type Ingest struct {
	// GroupTurns is how many turns may share one sync of the log. It changes no result.
	GroupTurns int `yaml:"group_turns"`
	// MaxLineBytes bounds a line of input, in bytes, its end not counted.
	MaxLineBytes int `yaml:"max_line_bytes"`
	// FutureLimit is how far ahead of the wall clock a turn's time may lie.
	FutureLimit time.Duration `yaml:"future_limit"`
}

// Models says where models lie and come from, and how they run. What a model computes may differ by
// device, and then the basis of each answer names the device it had; so these keys are no part of it.
type Models struct {
	// Dir is the folder of models; empty is the one in the user's cache.
	Dir string `yaml:"dir"`
	// Hub is the address of a hub, or empty.
	Hub string `yaml:"hub"`
	// Mirror is an address or a folder that has files of models, or empty.
	Mirror string `yaml:"mirror"`
	// Device is auto, cpu or cuda. cuda never falls back.
	Device string `yaml:"device"`
	// Threads is how many threads one run of a model uses.
	Threads int `yaml:"threads"`
	// EmbedFirst is how many documents a search has embedded before it answers.
	EmbedFirst int `yaml:"embed_first"`
}

// Memory holds the plan's windows, quotas and token budgets; they govern layer 2 only.
type Memory struct {
	// STMWindow is the short-term memory, in turns.
	STMWindow int `yaml:"stm_window"`
	// WMCapacity is how many candidates and changes working memory holds.
	WMCapacity int `yaml:"wm_capacity"`
	// WriteBudget is the mean number of tokens that may be written in a session.
	WriteBudget int `yaml:"write_budget_tokens_per_session_avg"`
	// ReadBudget is the number of tokens of an evidence pack.
	ReadBudget int `yaml:"read_budget_tokens_per_qa_avg"`
	// StrongWrites is how many strong writes a session may cause.
	StrongWrites int `yaml:"strong_writes_quota"`
	// PeriodicWrites is how many periodic writes a session may cause.
	PeriodicWrites int `yaml:"periodic_writes_quota"`
}

// Preprocess chooses the sentence splitter.
type Preprocess struct {
	// Rule is option A: rules for sentences, patterns for addresses, numbers and money.
	Rule bool `yaml:"rule"`
	// TinySeg is option B: a small sentence-splitting model.
	TinySeg bool `yaml:"tiny_seg"`
	// Model is that model, by its name in the list of models.
	Model string `yaml:"model"`
}

// NER chooses who finds entities.
type NER struct {
	// Mode is A (rules and a built-in tagger), B (a token-classification model), B' (a CoreNLP
	// server, asked where A has no name) or C (a constrained language model that falls back to A).
	Mode string `yaml:"mode"`
	// Model and ModelZh are the models of option B, by their names in the list of models: for text
	// in Latin letters and for text in Chinese characters. Text whose model is off is read by A.
	Model   string `yaml:"model"`
	ModelZh string `yaml:"model_zh"`
}

// Alias says when two names are taken for one entity. Equal normalised names always are.
type Alias struct {
	// JW is the least Jaro-Winkler similarity, or Off.
	JW Threshold `yaml:"jw"`
	// TokenSet is the least token-set similarity, or Off.
	TokenSet Threshold `yaml:"token_set"`
	// Nickname takes short forms of given names for the names: Mel for Melanie.
	Nickname bool `yaml:"nickname"`
}

// Coref chooses who resolves pronouns.
type Coref struct {
	// Mode is off, A (nearest compatible subject), B (a CoreNLP server, asked where A has no answer) or A+C (a language model
	// votes where A and B differ).
	Mode string `yaml:"mode"`
}

// Time chooses who reads time expressions.
type Time struct {
	// Rule is option A: the built-in grammar. Without it, and without the others, no time is read.
	Rule bool `yaml:"rule"`
	// SUTime is option B: SUTime of a CoreNLP server, asked where A has no answer.
	SUTime bool `yaml:"sutime"`
	// LLMLowConf is option C: a language model, asked where confidence is low.
	LLMLowConf bool `yaml:"llm_low_conf"`
}

// Relation chooses who finds relations.
type Relation struct {
	// Mode is A (templates), A+B (a model filters A's candidates) or C (a constrained language
	// model that falls back to A+B).
	Mode string `yaml:"mode"`
	// Parse lets dependency paths over a CoreNLP server's parse find what the templates do not.
	Parse bool `yaml:"parse"`
}

// RBU holds the plan's key for assimilation.
type RBU struct {
	// Fuzzy is option B: values are compared after alias expansion and near match.
	Fuzzy bool `yaml:"fuzzy"`
}

// Assimilate holds what assimilation needs beside the plan's key.
type Assimilate struct {
	// WMMin is the confidence, in [0, 1], below which a candidate stays in working memory; 0 keeps
	// none back.
	WMMin float64 `yaml:"wm_min"`
	// OwnWord lets what the subject said of itself stand against what another says of the time up to
	// then, unless that is a correction.
	OwnWord bool `yaml:"own_word"`
}

// Triggers say when layer 2 is written.
type Triggers struct {
	// TauKeep is the salience, in [0, 1], at or above which an event is written.
	TauKeep float64 `yaml:"tau_keep"`
	// TauArchive is the salience, in [0, 1], at or below which a new fact leaves the working set at
	// once; below TauKeep.
	TauArchive float64 `yaml:"tau_archive"`
	// Salience scores what no strong trigger takes; without it that waits for a summary.
	Salience bool `yaml:"salience"`
	// Periodic writes a summary at topic borders and session ends, and of what has gathered.
	Periodic bool `yaml:"periodic"`
	// Backfill lets a command extract again where a search came back empty or in conflict.
	Backfill bool `yaml:"backfill"`
	// ReflectThreshold is the number of changes that wait at which a summary is drawn.
	ReflectThreshold int `yaml:"reflect_threshold"`
	// WriteCooldownTurns is the number of turns of a session between an event and the next one that no
	// strong trigger asks for.
	WriteCooldownTurns int `yaml:"write_cooldown_turns"`
	// BackfillKTurns is how many turns a backfill reads again.
	BackfillKTurns int `yaml:"backfill_k_turns"`
	// TopicCos is the cosine, in [0, 1], of the words of the halves of the short-term memory below
	// which there is a topic border.
	TopicCos float64 `yaml:"topic_cos"`
	// Weights are those of the features of a salience.
	Weights Weights `yaml:"weights"`
}

// Weights are those of the features of a salience, σ(Bias + Σ weight × feature). Every feature
// lies in [0, 1].
type Weights struct {
	// Bias is added.
	Bias float64 `yaml:"bias"`
	// Bounded: the end of the validity is known.
	Bounded float64 `yaml:"bounded"`
	// Dated: the statement names a time of its own.
	Dated float64 `yaml:"dated"`
	// Doubt: 1 − 2 × confidence, 0 from one half on.
	Doubt float64 `yaml:"doubt"`
	// Entity: the value is an entity.
	Entity float64 `yaml:"entity"`
	// Functional: the relation holds one value at a time.
	Functional float64 `yaml:"functional"`
	// Length: the words of the turn ÷ 40, at most 1.
	Length float64 `yaml:"length"`
	// Novelty: 1 where nothing was known of subject and relation, one half where another value was.
	Novelty float64 `yaml:"novelty"`
	// Question: the turn asks something.
	Question float64 `yaml:"question"`
	// Repetition: what waits was said again.
	Repetition float64 `yaml:"repetition"`
	// Self: the speaker speaks of himself.
	Self float64 `yaml:"self"`
}

// Backfill says how a gap is filled. How many turns it reads is Triggers.BackfillKTurns, which the
// plan also spells backfill.k.
type Backfill struct {
	// LLM is option C: a language model names the gap.
	LLM bool `yaml:"llm"`
}

// Events says how layer 2 is built.
type Events struct {
	// Merge is option B: near events with a shared participant and adjoining times become one.
	Merge bool `yaml:"merge"`
	// LLMSummary is option C: a language model rewrites the summary, never the evidence.
	LLMSummary bool `yaml:"llm_summary"`
}

// Episode says how events are gathered into episodes.
type Episode struct {
	// Window is how long after its first event an episode takes events in.
	Window time.Duration `yaml:"window"`
	// TopicShift is option B: a topic shift ends an episode.
	TopicShift bool `yaml:"topic_shift"`
	// CosTh is the cosine, in [-1, 1], below which an event is of another topic than an episode.
	CosTh float64 `yaml:"cos_th"`
}

// Retrieval is the way from a question to its hits.
type Retrieval struct {
	// K1 is BM25's saturation of term frequency.
	K1 float64 `yaml:"k1"`
	// B is BM25's length normalisation, in [0, 1].
	B float64 `yaml:"b"`
	// ContextTurns is how many turns before a turn are indexed with it.
	ContextTurns int `yaml:"context_turns"`
	// ContextWeight is the weight, in [0, 1], of a word of those turns.
	ContextWeight float64 `yaml:"context_weight"`
	// SpeakerBoost multiplies the score of the turns of a speaker whom the question names; 1 is off.
	SpeakerBoost float64 `yaml:"speaker_boost"`
	// Fusion says how the scores of the channels become one: FusionWeighted, FusionRRF or
	// FusionRRFAdaptive.
	Fusion string `yaml:"fusion"`
	// Pool is how many of its best documents each channel hands on to be put together.
	Pool int `yaml:"pool"`
	// NextWeight is what the words of the turn after a turn count beside its own; 0 is off.
	NextWeight float64 `yaml:"next_weight"`
	// UseStatic is the entry by the table of word pieces that is built in.
	UseStatic bool `yaml:"use_static"`
	// StaticWeight is what it counts beside full text, which counts 1.
	StaticWeight float64 `yaml:"static_weight"`
	// TimeBoost raises what was said or held at the time that a question speaks of, by up to
	// 1 + TimeBoost; 0 is off.
	TimeBoost float64 `yaml:"time_boost"`
	// AboutBoost multiplies the score of the turns of a speaker who is spoken of or to; from 0 to
	// 1, 1 excluded, it stands for SpeakerBoost.
	AboutBoost float64 `yaml:"about_boost"`
	// KindBoost raises turns that have what the kind of answer has to have; 0 is off.
	KindBoost float64 `yaml:"kind_boost"`
	// Asking lowers turns that only ask, by up to this share; 0 is off.
	Asking float64 `yaml:"asking"`
	// SessionShare is what the session of a turn counts beside the turn; 0 is off.
	SessionShare float64 `yaml:"session_share"`
	// AliasWeight is the weight of a word of another name of what the question names; 0 is off.
	AliasWeight float64 `yaml:"alias_weight"`
	// NearWeight is the weight of words that mean nearly what a word of the question does; 0 is off.
	NearWeight float64 `yaml:"near_weight"`
	// FreshBoost raises what is newer where the newest is asked for; 0 is off.
	FreshBoost float64 `yaml:"fresh_boost"`
	// Parts looks for each of several questions in one text by itself.
	Parts bool `yaml:"parts"`
	// ContextAlone counts the turns before a turn also where one speaker alone has spoken.
	ContextAlone bool `yaml:"context_alone"`
	// KL1 is how many facts the entry hands on.
	KL1 int `yaml:"k_l1"`
	// KL2 is how many events the entry hands on.
	KL2 int `yaml:"k_l2"`
	// Depth is how many steps expansion takes between layers, at most 2; 0 is no expansion.
	Depth int `yaml:"depth"`
	// Fanout is how many neighbours one step of expansion follows.
	Fanout int `yaml:"fanout"`
	// Expand says which links are followed: ExpandPlain, ExpandGate or ExpandLinear.
	Expand string `yaml:"expand"`
	// ExpandWeight is what a turn gains at most to which links lead, as a share of the best score.
	ExpandWeight float64 `yaml:"expand_weight"`
	// Expansion adds candidates behind what was found.
	Expansion Expansion `yaml:"expansion"`
	// RerankTop is how many hits a reranker sees.
	RerankTop int `yaml:"rerank_top"`
	// UseBM25 is entry A: full text.
	UseBM25 bool `yaml:"use_bm25"`
	// UseE5 is entry B: dense vectors.
	UseE5 bool `yaml:"use_e5"`
	// DenseModel is the model that makes them, by its name in the list of models.
	DenseModel string `yaml:"dense_model"`
	// DenseWeight is what they count beside full text, which counts 1.
	DenseWeight float64 `yaml:"dense_weight"`
	// UseColBERTLite is entry C: late interaction.
	UseColBERTLite bool `yaml:"use_colbert_lite"`
	// ColBERTModel is the model that does it, by its name in the list of models.
	ColBERTModel string `yaml:"colbert_model"`
	// ColBERTWeight is what it counts beside full text, which counts 1.
	ColBERTWeight float64 `yaml:"colbert_weight"`
}

// Expansion says what is looked for beside the question, to add turns behind those that were found.
// It moves none of these. 0 leaves a source out.
type Expansion struct {
	// Most is how many turns are added at most; 0 is no expansion.
	Most int `yaml:"most"`
	// Hits is how many of the best hits are read for it.
	Hits int `yaml:"hits"`
	// Terms is how many words of those hits are looked for.
	Terms int `yaml:"terms"`
	// Names is how many words of names of entities next to those named are looked for.
	Names int `yaml:"names"`
	// Near is how many words that mean nearly what one of the question does are looked for.
	Near int `yaml:"near"`
	// Facts is how many facts next to those of the hits are followed.
	Facts int `yaml:"facts"`
}

// Rerank chooses who orders the first hits again.
type Rerank struct {
	// Mode is who does: RerankNone, RerankMMR, RerankFeatures, RerankCrossEncoder or RerankMonoT5.
	Mode string `yaml:"mode"`
	// MMR is option A: maximal marginal relevance, before anything else.
	MMR bool `yaml:"mmr"`
	// Lambda is what a score counts in MMR beside likeness to what comes before.
	Lambda float64 `yaml:"lambda"`
	// MonoT5 is option B: the small MonoT5 scores the pairs. The plan also spells it
	// retrieval.use_monot5_small.
	MonoT5 bool `yaml:"monot5"`
	// Model is the cross-encoder or MonoT5, by its name in the list of models.
	Model string `yaml:"model"`
	// ModelTop is how many of the first hits it reads.
	ModelTop int `yaml:"model_top"`
}

// Pack shapes the evidence pack. Its budget is Memory.ReadBudget.
type Pack struct {
	// Mode is evidence (events, facts and turns), detchain or compass (whole sessions).
	Mode string `yaml:"mode"`
	// Active says in the text what of a pack does not hold at its instant.
	Active bool `yaml:"active"`
	// Scaffold adds what can be counted, ordered and checked mechanically: off, or auto (what the
	// question asks for).
	Scaffold string `yaml:"scaffold"`
	// Sessions is the most sessions of a pack of sessions.
	Sessions int `yaml:"sessions"`
	// Verbatim is how many of the first of them nothing is left out of.
	Verbatim int `yaml:"verbatim"`
	// Pool is how many sessions the entry hands on.
	Pool int `yaml:"pool"`
	// Expansion is how many sessions detchain's expansion adds to them at most.
	Expansion int `yaml:"expansion"`
	// SessionChars is the most characters of a session that is not verbatim; 0 sets no bound.
	SessionChars int `yaml:"session_chars"`
	// Angles asks the question in three ways and takes the best score of a session.
	Angles bool `yaml:"angles"`
	// Stats is option B: counts instead of text where tokens are short.
	Stats bool `yaml:"stats"`
}

// QA shapes how a reader answers.
type QA struct {
	// TemporalPrompt is option B: the prompt names the view and the intervals.
	TemporalPrompt bool `yaml:"temporal_prompt"`
	// TemporalChecker is option C: an answer's consistency in time is judged after it was given.
	TemporalChecker bool `yaml:"temporal_checker"`
}

// Eval shapes the reports of an evaluation.
type Eval struct {
	// ErrorBreakdown sorts wrong answers by the part that failed.
	ErrorBreakdown bool `yaml:"error_breakdown"`
	// Pareto writes the front of accuracy against cost.
	Pareto bool `yaml:"pareto"`
}

// Threshold is a similarity in (0, 1], or [Off]. In a file Off is spelled off.
type Threshold float64

// Off is the threshold of a comparison that is not made. It is not a threshold of zero, which would
// take everything for the same.
const Off Threshold = 0

// The ways to put the scores of channels together.
const (
	FusionWeighted    = "weighted"
	FusionRRF         = "rrf"
	FusionRRFAdaptive = "rrf_adaptive"
)

// The links between facts and events that expansion follows: all, those that fit the question by the
// schema, or all with a learned weight.
const (
	ExpandPlain  = "plain"
	ExpandGate   = "gate"
	ExpandLinear = "linear"
)

// Who orders the first hits again.
const (
	RerankNone         = "none"
	RerankMMR          = "mmr"
	RerankFeatures     = "features"
	RerankCrossEncoder = "cross_encoder"
	RerankMonoT5       = "monot5"
)

// The modes of the plan's three-way switches. Which of them a switch takes stands in the table keys.
const (
	ModeOff = "off"
	ModeA   = "A"
	ModeB   = "B"
	ModeC   = "C"
	ModeAB  = "A+B"
	// ModeBPrime asks a CoreNLP server where A has no answer.
	ModeBPrime = "B'"
	ModeAC     = "A+C"
)

// The values of pack.mode, and what pack.scaffold takes beside off.
const (
	PackEvidence = "evidence"
	PackDetchain = "detchain"
	PackCompass  = "compass"
	ScaffoldAuto = "auto"
)
