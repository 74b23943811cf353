//! Embedding models in this process: BERT encoders, mean pooling, unit length. They run on ONNX Runtime.
//!
//! The model runs on threads of its own, never on the async ones. Queued texts are taken together, bucketed by length and run in batches; a
//! text whose caller stopped waiting is skipped.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    thread::{self, JoinHandle},
};

mod centre;
mod known;
mod onnx;
mod pieces;
mod prepare;
mod tokenizer;

use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};

use super::{EmbedError, Embedder, Role};
use centre::Centre;
use onnx::{Onnx, Thread};
use tokenizer::ModelTokenizer;
use words::tokens::Tokens;

pub use known::{KNOWN, Known, known};

/// Texts that run together. Larger batches gain nothing on a processor.
const BATCH: usize = 8;
/// Texts longer than this, in tokens, run alone: batching them costs more in padding than it saves.
const ALONE: usize = 64;
/// Most texts taken from the queue at once, so that a late query never waits behind a whole import.
const DRAIN: usize = 32;

/// Where the model is and how it is run.
#[derive(Clone, Debug)]
pub struct LocalOptions {
    pub model: &'static Known,
    /// Holds the weights and `tokenizer.json`. What ONNX Runtime runs is made of them, and kept there.
    pub directory: PathBuf,
    /// The library of ONNX Runtime.
    pub onnxruntime: PathBuf,
    /// Threads that run the model.
    pub threads: usize,
    /// Texts that may wait before callers do.
    pub queue: usize,
}

/// More threads are only for who asks for them: each has a session, and takes a core from everything else.
const THREADS_MAX: usize = 4;

/// As many threads as cores, up to four.
pub fn usual_threads() -> usize {
    thread::available_parallelism().map_or(1, |cores| cores.get().min(THREADS_MAX))
}

impl LocalOptions {
    /// One thread and a queue of 256.
    pub fn new(model: &'static Known, directory: impl Into<PathBuf>, onnxruntime: impl Into<PathBuf>) -> Self {
        Self { model, directory: directory.into(), onnxruntime: onnxruntime.into(), threads: 1, queue: 256 }
    }
}

/// The model, loaded. Dropping the last clone ends its threads, and waits for the batch that they run.
#[derive(Clone)]
pub struct Local {
    model: &'static Known,
    // Before the threads: they end when nobody can send any more.
    queue: mpsc::Sender<Job>,
    _threads: Arc<Threads>,
    tokenizer: Arc<ModelTokenizer>,
    /// Texts of one caller that are queued together.
    at_once: usize,
}

/// The threads of a model. ONNX Runtime unloads itself when the process exits, so no thread may still be in it by then.
struct Threads(Vec<JoinHandle<()>>);

impl Drop for Threads {
    fn drop(&mut self) {
        for thread in self.0.drain(..) {
            // A thread that panicked has ended, too.
            thread.join().ok();
        }
    }
}

/// One text and the caller that waits for its vector.
struct Job {
    /// With the prefix of its role.
    text: String,
    reply: oneshot::Sender<Result<Vec<f32>, EmbedError>>,
}

struct Encoded {
    tokens: Vec<u32>,
    reply: oneshot::Sender<Result<Vec<f32>, EmbedError>>,
}

/// Texts of one batch, padded to the same length, row by row.
struct Padded {
    rows: usize,
    width: usize,
    ids: Vec<u32>,
    /// 1 for a token, 0 for padding.
    mask: Vec<u32>,
}

impl Padded {
    fn new(batch: &[&[u32]], pad: u32) -> Self {
        let (rows, width) = (batch.len(), batch.iter().map(|tokens| tokens.len()).max().unwrap_or_default());
        let (mut ids, mut mask) = (Vec::with_capacity(rows * width), Vec::with_capacity(rows * width));
        for tokens in batch {
            let padding = width - tokens.len();
            ids.extend_from_slice(tokens);
            ids.extend(std::iter::repeat_n(pad, padding));
            mask.extend(std::iter::repeat_n(1, tokens.len()));
            mask.extend(std::iter::repeat_n(0, padding));
        }
        Self { rows, width, ids, mask }
    }
}

impl Local {
    /// Loads the model and starts its threads. Blocks for some tenths of a second, the first time for some seconds.
    ///
    /// # Errors
    /// `Load` with the file that is missing or cannot be read: of the model, or the library.
    pub fn load(options: &LocalOptions) -> Result<Self, EmbedError> {
        let tokenizer = Arc::new(ModelTokenizer::load(options.model, &options.directory)?);
        let onnx = Onnx::load(&options.onnxruntime, prepare::prepare(&options.directory, options.model)?)?;
        let centre = Arc::new(Centre::of(options.model));
        let (sender, receiver) = mpsc::channel(options.queue.max(1));
        let receiver = Arc::new(Mutex::new(receiver));
        let mut threads = Vec::new();
        for n in 0..options.threads.max(1) {
            let (tokenizer, centre, receiver, mut runner) = (tokenizer.clone(), centre.clone(), receiver.clone(), onnx.session()?);
            let share = options.threads.max(1);
            let thread = thread::Builder::new()
                .name(format!("embed-{n}"))
                .spawn(move || work(&tokenizer, &centre, &mut runner, &receiver, share))
                .map_err(|e| EmbedError::Unavailable(format!("no thread for the model: {e}")))?;
            threads.push(thread);
        }
        let threads = Arc::new(Threads(threads));
        let at_once = BATCH * options.threads.max(1);
        Ok(Self { model: options.model, queue: sender, _threads: threads, tokenizer, at_once })
    }
}

impl Embedder for Local {
    fn model(&self) -> &str {
        self.model.name
    }

    fn dimension(&self) -> usize {
        self.model.dimension
    }

    fn tokens(&self) -> Arc<dyn Tokens> {
        Arc::<ModelTokenizer>::clone(&self.tokenizer)
    }

    fn embed(&self, texts: Vec<String>, role: Role) -> BoxFuture<'_, Result<Vec<Vec<f32>>, EmbedError>> {
        Box::pin(async move {
            let mut vectors = Vec::with_capacity(texts.len());
            let mut texts = texts.into_iter().peekable();
            // A batch for each thread at a time, so that texts of other callers come in between.
            while texts.peek().is_some() {
                let mut waiting = Vec::with_capacity(self.at_once);
                for text in texts.by_ref().take(self.at_once) {
                    let (reply, vector) = oneshot::channel();
                    let text = format!("{}{}", self.model.prefix(role), self.tokenizer.plain(&text));
                    self.queue.send(Job { text, reply }).await.map_err(|_| stopped())?;
                    waiting.push(vector);
                }
                for vector in waiting {
                    vectors.push(vector.await.map_err(|_| stopped())??);
                }
            }
            Ok(vectors)
        })
    }
}

/// ONNX Runtime alone, on the thread of the caller: no queue, and texts that became tokens before. The benchmark measures what is around it.
pub struct Bare {
    model: &'static Known,
    tokenizer: ModelTokenizer,
    session: Thread,
}

/// Texts as the model reads them, ready to run together.
pub struct Ready(Padded);

impl Bare {
    /// Loads the model. Blocks for some tenths of a second.
    ///
    /// # Errors
    /// As [`Local::load`].
    pub fn load(options: &LocalOptions) -> Result<Self, EmbedError> {
        let tokenizer = ModelTokenizer::load(options.model, &options.directory)?;
        let session = Onnx::load(&options.onnxruntime, prepare::prepare(&options.directory, options.model)?)?.session()?;
        Ok(Self { model: options.model, tokenizer, session })
    }

    /// The tokens of some texts.
    ///
    /// # Errors
    /// When the tokenizer fails on one.
    pub fn ready(&self, texts: &[String], role: Role) -> Result<Ready, EmbedError> {
        let tokens = |text: &String| self.tokenizer.read(format!("{}{}", self.model.prefix(role), self.tokenizer.plain(text)));
        let tokens = texts.iter().map(tokens).collect::<Result<Vec<_>, _>>()?;
        Ok(Ready(Padded::new(&tokens.iter().map(Vec::as_slice).collect::<Vec<_>>(), self.tokenizer.pad)))
    }

    /// One vector of unit length for each text; there must be at least one. The vectors are not centred, as those of [`Local`] are.
    ///
    /// # Errors
    /// When ONNX Runtime fails.
    pub fn run(&mut self, ready: &Ready) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.session.run(&ready.0)
    }
}

fn stopped() -> EmbedError {
    EmbedError::Unavailable("the model's thread has stopped".into())
}

/// The loop of one of `threads`: wait for a text, take its share of what else is queued, run it in batches.
fn work(tokenizer: &ModelTokenizer, centre: &Centre, runner: &mut Thread, queue: &Mutex<mpsc::Receiver<Job>>, threads: usize) {
    loop {
        let jobs = {
            let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(first) = queue.blocking_recv() else { return };
            let mut jobs = vec![first];
            let share = (queue.len() + 1).div_ceil(threads).min(DRAIN);
            while jobs.len() < share
                && let Ok(job) = queue.try_recv()
            {
                jobs.push(job);
            }
            jobs
        };
        for batch in batches(encode(tokenizer, jobs)) {
            run(runner, centre, tokenizer.pad, batch);
        }
    }
}

/// Sorts by length and cuts into batches in which padding stays below a quarter.
fn batches(mut encoded: Vec<Encoded>) -> Vec<Vec<Encoded>> {
    encoded.sort_by_key(|e| e.tokens.len());
    let mut batches: Vec<Vec<Encoded>> = Vec::new();
    for item in encoded {
        let length = item.tokens.len();
        match batches.last_mut() {
            Some(batch) if batch.len() < BATCH && length <= ALONE && length <= batch[0].tokens.len() * 4 / 3 + 2 => batch.push(item),
            _ => batches.push(vec![item]),
        }
    }
    batches
}

/// Runs one batch for those who still wait and returns the vectors. A panic in the model fails this batch, not the thread.
fn run(runner: &mut Thread, centre: &Centre, pad: u32, mut batch: Vec<Encoded>) {
    batch.retain(|item| !item.reply.is_closed());
    if batch.is_empty() {
        return;
    }
    let tokens: Vec<&[u32]> = batch.iter().map(|item| item.tokens.as_slice()).collect();
    let padded = Padded::new(&tokens, pad);
    let result = catch_unwind(AssertUnwindSafe(|| runner.run(&padded)));
    let result = result.unwrap_or_else(|_| Err(EmbedError::Failed("the model panicked".into())));
    match result {
        Ok(vectors) => {
            for (item, vector) in batch.into_iter().zip(vectors) {
                // A caller that stopped waiting is no error.
                item.reply.send(centre.moved(vector)).ok();
            }
        }
        Err(error) => {
            for item in batch {
                item.reply.send(Err(error.clone())).ok();
            }
        }
    }
}

/// Tokens of the texts that somebody still waits for.
fn encode(tokenizer: &ModelTokenizer, jobs: Vec<Job>) -> Vec<Encoded> {
    let mut encoded = Vec::with_capacity(jobs.len());
    for Job { text, reply } in jobs.into_iter().filter(|job| !job.reply.is_closed()) {
        match tokenizer.read(text) {
            Ok(tokens) => encoded.push(Encoded { tokens, reply }),
            Err(error) => drop(reply.send(Err(error))),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use std::{sync::LazyLock, time::Duration};

    use super::*;

    fn variable(name: &str) -> PathBuf {
        std::env::var_os(name).unwrap_or_else(|| panic!("{name} is set by scripts/env.sh")).into()
    }

    /// One model for all tests. Its absence is a failure: the default of every installation is what these tests prove.
    static LOCAL: LazyLock<Local> = LazyLock::new(|| load(&KNOWN[1]));
    static MULTILINGUAL: LazyLock<Local> = LazyLock::new(|| load(&KNOWN[0]));

    fn load(model: &'static Known) -> Local {
        let options = LocalOptions::new(model, variable("REMEMBRANCER_MODEL_DIR").join(model.folder), variable("REMEMBRANCER_ONNXRUNTIME"));
        Local::load(&options).expect("the model is fetched by scripts/fetch.sh")
    }

    async fn embed(texts: &[&str]) -> Vec<Vec<f32>> {
        LOCAL.embed(texts.iter().map(ToString::to_string).collect(), Role::Passage).await.unwrap()
    }

    fn cos(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }

    #[tokio::test]
    async fn meaning_ranks_above_words() {
        let v = embed(&[
            "How do I reset my password?",
            "I forgot my login credentials and need to recover my account",
            "The harvest festival is in October",
            "Reset the oven clock after a power cut",
        ])
        .await;
        let (close, far, words) = (cos(&v[0], &v[1]), cos(&v[0], &v[2]), cos(&v[0], &v[3]));
        assert!(close > 0.5 && close > words && words > far && far < 0.2, "{close} {words} {far}");
    }

    /// Values published with the model by sentence-transformers: the pooling and the normalisation are the reference's.
    #[tokio::test]
    async fn similarity_is_that_of_the_reference() {
        let v = embed(&["This is an example sentence", "Each sentence is converted"]).await;
        assert_eq!(v[0].len(), 384);
        assert!((cos(&v[0], &v[0]) - 1.0).abs() < 1e-5);
        assert!((v[0][0] - 0.0676).abs() < 1e-3 && (v[0][1] - 0.0635).abs() < 1e-3, "{:?}", &v[0][..4]);
        assert!((v[1][0] - 0.0864).abs() < 1e-3 && (v[1][1] - 0.1027).abs() < 1e-3, "{:?}", &v[1][..4]);
    }

    #[tokio::test]
    async fn batched_and_single_results_agree() {
        let long = "the committee met on Tuesday and decided to postpone the decision ".repeat(40);
        let texts = [
            "short",
            "a little longer than short",
            "",
            "Überraschung für 東京 🎉",
            &long,
            "one two three four five six seven eight nine ten",
        ];
        let together = embed(&texts).await;
        assert_eq!(together.len(), texts.len());
        for (text, batched) in texts.iter().zip(&together) {
            let alone = &embed(&[text]).await[0];
            let difference = alone.iter().zip(batched).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(difference < 1e-4, "{difference} for {text:.20}");
        }
    }

    /// all-MiniLM-L6-v2 has no centre to move away from.
    #[tokio::test]
    async fn the_runtime_alone_gives_the_same_vectors() {
        let model = &KNOWN[1];
        let folder = variable("REMEMBRANCER_MODEL_DIR").join(model.folder);
        let mut bare = Bare::load(&LocalOptions::new(model, folder, variable("REMEMBRANCER_ONNXRUNTIME"))).unwrap();
        let texts = ["apple", "a walk in the park <pad>"].map(str::to_owned);
        let alone = bare.run(&bare.ready(&texts, Role::Passage).unwrap()).unwrap();
        let served = LOCAL.embed(texts.to_vec(), Role::Passage).await.unwrap();
        assert_eq!(alone.len(), 2);
        for (alone, served) in alone.iter().zip(&served) {
            assert!(cos(alone, served) > 0.9999, "{}", cos(alone, served));
        }
    }

    #[tokio::test]
    async fn many_callers_get_their_own_vectors() {
        let expected = embed(&["apple", "a walk in the park", "quarterly figures"]).await;
        let callers = (0..60).map(|i| {
            let text = ["apple", "a walk in the park", "quarterly figures"][i % 3];
            async move { (i, embed(&[text]).await) }
        });
        for (i, got) in futures_util::future::join_all(callers).await {
            assert!(cos(&got[0], &expected[i % 3]) > 0.9999, "caller {i}");
        }
    }

    #[tokio::test]
    async fn the_tokens_of_a_text_are_those_that_the_model_reads() {
        let tokens = LOCAL.tokens();
        assert_eq!(tokens.starts("Vera waters orchids."), [0, 5, 12, 18, 19], "“orchids” has two");
        assert_eq!(tokens.starts("Ü 東京"), [0, 3, 6], "offsets are bytes");
        // What is one token beyond the limit changes nothing, what is within it does.
        let text = |words: usize, last: &str| format!("{}{last}", "tea ".repeat(words));
        let limit = tokens.limit();
        assert_eq!(tokens.count(&text(limit, "milk")), limit + 1);
        let v = embed(&[&text(limit, "milk"), &text(limit, "sugar"), &text(limit - 1, "milk"), &text(limit - 1, "sugar")]).await;
        assert!(v[0] == v[1] && v[2] != v[3]);
    }

    #[tokio::test]
    async fn who_stopped_waiting_is_skipped() {
        let long = "an endless story about nothing in particular ".repeat(60);
        for _ in 0..50 {
            let gone = tokio::time::timeout(Duration::from_nanos(1), embed(&[&long])).await;
            assert!(gone.is_err());
        }
        // Fifty long texts would take seconds.
        tokio::time::timeout(Duration::from_secs(2), embed(&["now"])).await.unwrap();
    }

    #[test]
    fn batches_hold_texts_of_like_length() {
        let lengths = [5, 200, 6, 7, 5, 5, 5, 5, 5, 5, 5, 40, 41, 70, 71];
        let encoded = lengths.map(|n| Encoded { tokens: vec![1; n], reply: oneshot::channel().0 });
        let cut: Vec<Vec<usize>> = batches(encoded.into()).iter().map(|b| b.iter().map(|e| e.tokens.len()).collect()).collect();
        assert_eq!(cut, [vec![5; 8], vec![6, 7], vec![40, 41], vec![70], vec![71], vec![200]]);
    }

    #[test]
    fn a_missing_model_is_named() {
        let options = LocalOptions::new(&KNOWN[0], "/nonexistent", "/nonexistent/libonnxruntime.so");
        let error = Local::load(&options).err().unwrap().to_string();
        assert!(error.contains("/nonexistent/tokenizer.json"), "{error}");
    }

    #[test]
    fn files_of_two_models_in_one_folder_are_noticed() {
        let [other, one] = &KNOWN;
        let (models, folder) = (variable("REMEMBRANCER_MODEL_DIR"), tempfile::tempdir().unwrap());
        for (model, files) in [(one, &["model.safetensors", "config.json"][..]), (other, &["tokenizer.json"])] {
            for file in files {
                std::fs::copy(models.join(model.folder).join(file), folder.path().join(file)).unwrap();
            }
        }
        for (model, reason) in [
            (one, "tokenizer.json: it is that of another model: it has 250002 tokens, and all-MiniLM-L6-v2 has 30522"),
            (other, "384 components for each of 30522 tokens; multilingual-e5-small has 384 for 250037"),
        ] {
            let options = LocalOptions::new(model, folder.path(), variable("REMEMBRANCER_ONNXRUNTIME"));
            let error = Local::load(&options).err().unwrap().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[tokio::test]
    async fn tokens_with_a_meaning_are_only_text_in_a_text() {
        for (model, marked, plain) in [
            (&*MULTILINGUAL, "It costs <s>nine</s> eight.<pad><unk>", "It costs < s>nine< /s> eight.< pad>< unk>"),
            (&*LOCAL, "Nine [SEP] eight", "Nine [ SEP] eight"),
        ] {
            let vectors = model.embed(vec![marked.to_owned(), plain.to_owned()], Role::Passage).await.unwrap();
            assert_eq!(vectors[0], vectors[1]);
        }
        assert!(MULTILINGUAL.tokens().unknown("<unk><unk><unk>") < 0.1);
    }

    #[tokio::test]
    async fn a_question_finds_its_answer_in_any_language() {
        let questions = ["どこで猫が寝ますか。", "Wie hoch ist die Miete?", "When does the shop open?"];
        let answers =
            ["The cat sleeps on the oven.", "Le loyer est de neuf cents euros.", "يفتح المتجر في الساعة التاسعة.", "The moon has no air."];
        let vectors = |texts: &[&str], role| MULTILINGUAL.embed(texts.iter().map(ToString::to_string).collect(), role);
        let (questions, answers) = (vectors(&questions, Role::Query).await.unwrap(), vectors(&answers, Role::Passage).await.unwrap());
        for (n, question) in questions.iter().enumerate() {
            let likeness: Vec<f32> = answers.iter().map(|answer| cos(question, answer)).collect();
            let others = || likeness.iter().enumerate().filter(|(other, _)| *other != n).map(|(_, likeness)| *likeness);
            assert_eq!(others().count(), 3);
            assert!(others().all(|other| other < likeness[n] - 0.1), "question {n}: {likeness:?}");
        }
    }

    /// With `UPDATE_CENTRE=1` the files are written.
    #[tokio::test]
    async fn the_centre_is_what_its_sentences_have_in_common() {
        let model = load(Box::leak(Box::new(Known { common: None, ..KNOWN[0] })));
        let lines: Vec<Vec<&str>> = centre::SENTENCES.lines().map(|line| line.split('\t').collect()).collect();
        assert_eq!(lines.len(), 96);
        // Eight lines of each language.
        let mut means = Vec::new();
        for language in lines.chunks(8) {
            let mut vectors = Vec::new();
            for (role, column) in [(Role::Passage, 1), (Role::Query, 2)] {
                let texts = language.iter().map(|line| line[column].to_owned()).collect();
                vectors.extend(model.embed(texts, role).await.unwrap());
            }
            means.push(mean(&vectors));
        }
        let mean = mean(&means);
        let mut languages: Vec<Vec<f32>> = Vec::new();
        // The last lies between the others.
        for mut language in means.into_iter().take(11) {
            language.iter_mut().zip(&mean).for_each(|(number, mean)| *number -= mean);
            languages.iter().for_each(|other| centre::remove(&mut language, other));
            crate::normalise(&mut language).unwrap();
            languages.push(language);
        }
        let row = |numbers: &Vec<f32>| numbers.iter().map(|number| format!("{number:.4}")).collect::<Vec<_>>().join(" ") + "\n";
        if std::env::var_os("UPDATE_CENTRE").is_some() {
            let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/local/centre");
            std::fs::write(folder.join("mean.txt"), row(&mean)).unwrap();
            std::fs::write(folder.join("languages.txt"), languages.iter().map(row).collect::<String>()).unwrap();
            return;
        }
        let kept = Centre::of(&KNOWN[0]);
        assert_eq!(kept.languages.len(), 11);
        for (one, other) in languages.iter().chain([&mean]).zip(kept.languages.iter().chain([&kept.mean])) {
            let distance = one.iter().zip(other).map(|(one, other)| (one - other).abs()).fold(0.0, f32::max);
            assert!(other.len() == 384 && distance < 1e-3, "{distance}");
        }
    }

    fn mean(vectors: &[Vec<f32>]) -> Vec<f32> {
        (0..384).map(|n| vectors.iter().map(|vector| vector[n]).sum::<f32>() / vectors.len() as f32).collect()
    }
}
