//! The graph of a BERT sentence encoder, such as all-MiniLM-L6-v2 and multilingual-e5-small, for ONNX Runtime.
//!
//! inputs: `input_ids` and `attention_mask`, int64 \[batch, tokens\]; the mask is 1, and 0 at padding
//! output: `sentence_embedding`, float32 \[batch, hidden\]; each row has the length 1

use super::onnx::{
    Attribute, Entry, FORMAT, Graph, Kind, Model, Node, OPERATORS, Operators, RUNTIME, Shape, Size, Tensor, TensorType, Type, Value,
};
use super::parts::{POSITIONS, SCALES, Sizes, TYPES, WORDS};
use super::weights::{BLOCK, Places, Stored};

/// A graph that grows: every method that adds to it returns the name of what it added.
struct Builder<'a> {
    places: &'a Places,
    graph: Graph,
}

impl Builder<'_> {
    fn weight(&mut self, name: &str) -> String {
        let Stored { file, kind, shape, offset, bytes } = &self.places[name];
        let place = [("location", file.clone()), ("offset", offset.to_string()), ("length", bytes.to_string())];
        self.add_tensor(Tensor {
            shape: shape.iter().map(|size| *size as i64).collect(),
            kind: *kind as i32,
            name: name.to_owned(),
            place: place.map(|(key, value)| Entry { key: key.to_owned(), value }).into(),
            is_outside: 1,
            ..Tensor::default()
        })
    }

    /// A list of integers.
    fn constant(&mut self, values: &[i64]) -> String {
        self.add_tensor(Tensor {
            shape: vec![values.len() as i64],
            kind: Kind::I64 as i32,
            name: format!("constant {values:?}"),
            bytes: Some(values.iter().flat_map(|value| value.to_le_bytes()).collect()),
            ..Tensor::default()
        })
    }

    fn add_tensor(&mut self, tensor: Tensor) -> String {
        let name = tensor.name.clone();
        if self.graph.tensors.iter().all(|known| known.name != name) {
            self.graph.tensors.push(tensor);
        }
        name
    }

    fn node<const N: usize>(&mut self, operator: &str, inputs: [&str; N], attributes: &[Attribute]) -> String {
        let name = format!("{operator} {}", self.graph.nodes.len());
        let is_of_runtime = matches!(operator, "FusedMatMul" | "SkipLayerNormalization" | "Attention" | "BiasGelu");
        self.graph.nodes.push(Node {
            inputs: inputs.map(str::to_owned).into(),
            outputs: vec![name.clone()],
            name: name.clone(),
            operator: operator.to_owned(),
            attributes: attributes.to_vec(),
            domain: if is_of_runtime { RUNTIME.to_owned() } else { String::new() },
        });
        name
    }

    /// The vectors of the tokens alone, without their places in the text.
    fn words(&mut self, sizes: Sizes) -> String {
        let words = self.weight(WORDS);
        let vectors = self.node("Gather", [&words, "input_ids"], &[]);
        if self.places[WORDS].kind == Kind::F32 {
            return vectors;
        }
        let scales = self.weight(SCALES);
        let scales = self.node("Gather", [&scales, "input_ids"], &[]);
        let last = self.constant(&[3]);
        let scales = self.node("Unsqueeze", [&scales, &last], &[]);
        let vectors = self.node("Cast", [&vectors], &[integer("to", Kind::F32 as i64)]);
        // 0 stands for the size that is there.
        let shape = self.constant(&[0, 0, (sizes.hidden / BLOCK) as i64, BLOCK as i64]);
        let vectors = self.node("Reshape", [&vectors, &shape], &[]);
        let vectors = self.node("Mul", [&vectors, &scales], &[]);
        let shape = self.constant(&[0, 0, sizes.hidden as i64]);
        self.node("Reshape", [&vectors, &shape], &[])
    }

    /// A product without the bias, which the operator that comes next adds.
    fn product(&mut self, vectors: &str, layer: &str) -> String {
        let matrix = self.weight(&format!("{layer}.weight"));
        self.node("FusedMatMul", [vectors, &matrix], &[integer("transB", 1)])
    }

    /// What a product changed, with its bias, added to what it was before.
    fn add_and_normalise(&mut self, vectors: &str, change: &str, layer: &str, sizes: Sizes) -> String {
        let [scale, shift, bias] = ["LayerNorm.weight", "LayerNorm.bias", "dense.bias"].map(|part| self.weight(&format!("{layer}.{part}")));
        self.node("SkipLayerNormalization", [change, vectors, &scale, &shift, &bias], &[real("epsilon", sizes.epsilon)])
    }

    fn attention(&mut self, vectors: &str, mask: &str, layer: &str, sizes: Sizes) -> String {
        let [matrix, bias] = ["weight", "bias"].map(|of| {
            let [q, k, v] = ["query", "key", "value"].map(|part| self.weight(&format!("{layer}.self.{part}.{of}")));
            self.node("Concat", [&q, &k, &v], &[integer("axis", 0)])
        });
        let matrix = self.node("Transpose", [&matrix], &[]);
        self.node("Attention", [vectors, &matrix, &bias, mask], &[integer("num_heads", sizes.heads as i64)])
    }
}

fn integer(name: &str, value: i64) -> Attribute {
    Attribute { name: name.to_owned(), integer: Some(value), kind: 2, ..Attribute::default() }
}

fn real(name: &str, value: f32) -> Attribute {
    Attribute { name: name.to_owned(), real: Some(value), kind: 1, ..Attribute::default() }
}

/// An input or output: a size is a number or a name.
fn declaration(name: &str, kind: Kind, sizes: [Result<usize, &str>; 2]) -> Value {
    let sizes = sizes.map(|size| Size { number: size.ok().map(|n| n as i64), name: size.err().map(str::to_owned) });
    let tensor = TensorType { kind: kind as i32, shape: Some(Shape { sizes: sizes.into() }) };
    Value { name: name.to_owned(), of: Some(Type { tensor: Some(tensor) }) }
}

/// BERT, then the mean of each text's token vectors at length 1.
pub fn encoder(sizes: Sizes, places: &Places) -> Model {
    let mut graph = Builder { places, graph: Graph { name: "encoder".into(), ..Graph::default() } };
    let g = &mut graph;

    // A text is one segment, so every token is of the first type. What depends on weights alone is computed once, when the model is loaded.
    let zero = g.constant(&[0]);
    let types = g.weight(TYPES);
    let first = g.node("Gather", [&types, &zero], &[]);
    let positions = g.weight(POSITIONS);
    let positions = g.node("Add", [&positions, &first], &[]);
    let length = g.node("Shape", ["input_ids"], &[integer("start", 1), integer("end", 2)]);
    let positions = g.node("Slice", [&positions, &zero, &length, &zero], &[]);
    let words = g.words(sizes);
    let vectors = g.node("Add", [&words, &positions], &[]);
    let [scale, shift] = ["weight", "bias"].map(|of| g.weight(&format!("embeddings.LayerNorm.{of}")));
    let mut vectors = g.node("LayerNormalization", [&vectors, &scale, &shift], &[real("epsilon", sizes.epsilon)]);

    let mask = g.node("Cast", ["attention_mask"], &[integer("to", Kind::I32 as i64)]);
    for layer in (0..sizes.layers).map(|number| format!("encoder.layer.{number}")) {
        let context = g.attention(&vectors, &mask, &format!("{layer}.attention"), sizes);
        let output = format!("{layer}.attention.output");
        let change = g.product(&context, &format!("{output}.dense"));
        vectors = g.add_and_normalise(&vectors, &change, &output, sizes);

        let inner = g.product(&vectors, &format!("{layer}.intermediate.dense"));
        let bias = g.weight(&format!("{layer}.intermediate.dense.bias"));
        let inner = g.node("BiasGelu", [&inner, &bias], &[]);
        let output = format!("{layer}.output");
        let change = g.product(&inner, &format!("{output}.dense"));
        vectors = g.add_and_normalise(&vectors, &change, &output, sizes);
    }

    // The sum is as good as the mean: only its direction is kept.
    let one = g.constant(&[1]);
    let mask = g.node("Cast", ["attention_mask"], &[integer("to", Kind::F32 as i64)]);
    let mask = g.node("Unsqueeze", [&mask, &one], &[]);
    let sum = g.node("MatMul", [&mask, &vectors], &[]);
    let sum = g.node("Squeeze", [&sum, &one], &[]);
    let direction = g.node("LpNormalization", [&sum], &[integer("axis", 1), integer("p", 2)]);

    let mut graph = graph.graph;
    // The last operation's output is the model's.
    if let Some(last) = graph.nodes.last_mut().filter(|last| last.name == direction) {
        last.outputs = vec!["sentence_embedding".into()];
    }
    graph.inputs = ["input_ids", "attention_mask"].map(|name| declaration(name, Kind::I64, [Err("batch"), Err("tokens")])).into();
    graph.outputs = vec![declaration("sentence_embedding", Kind::F32, [Err("batch"), Ok(sizes.hidden)])];
    let operators = [("", OPERATORS), (RUNTIME, 1)].map(|(domain, version)| Operators { domain: domain.into(), version });
    Model { format: FORMAT, graph: Some(graph), operators: operators.into() }
}
