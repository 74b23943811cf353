//! The dashboard against the part of Grafana's schema that it uses. Grafana ignores a field that it does not know, so every field and every
//! word of `docs/observability/dashboard.json` is listed here, as version 41 of its schema names it. A new one is added here first.

use Shape::{Any, Bound, ByType, Each, Fields, Nothing, Number, Text, Truth, Whole, Word};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// Columns of the grid.
const COLUMNS: u64 = 24;
/// Longest identifier of a dashboard.
const UID_MAX: usize = 40;
/// Variables that Grafana sets itself.
const BUILT_IN: [&str; 3] = ["__all", "__range", "__rate_interval"];

/// What a value may be.
enum Shape {
    Any,
    Text,
    Number,
    /// A number that is whole and not negative.
    Whole,
    Truth,
    /// A number, or null for none.
    Bound,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list without items.
    Nothing,
    /// A list whose items have one shape.
    Each(&'static Shape),
    /// An object with these fields and no other. One whose name ends with `?` may be absent.
    Fields(&'static [(&'static str, Shape)]),
    /// An object whose shape depends on its field `type`.
    ByType(&'static [(&'static str, Shape)]),
}

const DATA_SOURCE: Shape = Fields(&[("type", Word(&["prometheus"])), ("uid", Text)]);
const PLACE: Shape = Fields(&[("h", Whole), ("w", Whole), ("x", Whole), ("y", Whole)]);
const UNIT: Shape = Word(&["bytes", "ops", "percentunit", "s", "short"]);
const TARGET: Shape = Fields(&[("refId", Text), ("datasource", DATA_SOURCE), ("expr", Text), ("legendFormat", Text), ("range", Truth)]);

/// A heading, which is open: the panels of a collapsed row would be inside.
const ROW: Shape = Fields(&[("type", Text), ("id", Whole), ("title", Text), ("gridPos", PLACE), ("collapsed", Truth), ("panels", Nothing)]);

/// A panel that shows data, with what its kind decides: the field of its data and its options.
macro_rules! panel {
    ($field:expr, $options:expr) => {
        Fields(&[
            ("type", Text),
            ("id", Whole),
            ("title", Text),
            ("description?", Text),
            ("gridPos", PLACE),
            ("datasource", DATA_SOURCE),
            ("targets", Each(&TARGET)),
            ("fieldConfig", Fields(&[("defaults", $field), ("overrides", Nothing)])),
            ("options", $options),
        ])
    };
}

const STEP: Shape = Fields(&[("color", Text), ("value", Bound)]);
const STAT_FIELD: Shape = Fields(&[
    ("unit", UNIT),
    ("noValue", Text),
    ("color", Fields(&[("mode", Word(&["thresholds"]))])),
    ("thresholds", Fields(&[("mode", Word(&["absolute", "percentage"])), ("steps", Each(&STEP))])),
]);
const STAT_OPTIONS: Shape = Fields(&[
    ("colorMode", Word(&["none", "value", "background"])),
    ("graphMode", Word(&["none", "area"])),
    ("reduceOptions", Fields(&[("calcs", Each(&Word(&["lastNotNull", "max", "mean", "sum"]))), ("fields", Text), ("values", Truth)])),
]);
const STAT: Shape = panel!(STAT_FIELD, STAT_OPTIONS);

const GRAPH_FIELD: Shape = Fields(&[
    ("unit", UNIT),
    ("min", Number),
    (
        "custom",
        Fields(&[
            ("drawStyle", Word(&["line", "bars", "points"])),
            ("lineWidth", Whole),
            ("fillOpacity", Whole),
            ("showPoints", Word(&["auto", "never", "always"])),
            ("stacking", Fields(&[("group", Text), ("mode", Word(&["none", "normal", "percent"]))])),
        ]),
    ),
]);
const GRAPH_OPTIONS: Shape = Fields(&[
    ("legend", Fields(&[("displayMode", Word(&["list", "table"])), ("placement", Word(&["bottom", "right"])), ("showLegend", Truth)])),
    ("tooltip", Fields(&[("mode", Word(&["single", "multi", "none"])), ("sort", Word(&["none", "asc", "desc"]))])),
]);
const GRAPH: Shape = panel!(GRAPH_FIELD, GRAPH_OPTIONS);
const PANEL: Shape = ByType(&[("row", ROW), ("stat", STAT), ("timeseries", GRAPH)]);

const CHOICE: Shape = Fields(&[
    ("type", Text),
    ("name", Text),
    ("label", Text),
    ("query", Word(&["prometheus"])),
    ("refresh", Whole),
    ("hide", Whole),
    ("multi", Truth),
    ("includeAll", Truth),
    ("current", Any),
]);
const QUESTION: Shape = Fields(&[
    ("type", Text),
    ("name", Text),
    ("label", Text),
    ("datasource", DATA_SOURCE),
    ("query", Fields(&[("query", Text), ("refId", Text)])),
    ("definition", Text),
    ("refresh", Whole),
    ("sort", Whole),
    ("hide", Whole),
    ("multi", Truth),
    ("includeAll", Truth),
    ("allValue", Text),
    ("current", Any),
]);
const VARIABLE: Shape = ByType(&[("datasource", CHOICE), ("query", QUESTION)]);

const DASHBOARD: Shape = Fields(&[
    ("uid", Text),
    ("title", Text),
    ("description", Text),
    ("tags", Each(&Text)),
    ("schemaVersion", Whole),
    ("version", Whole),
    ("editable", Truth),
    ("graphTooltip", Whole),
    ("time", Fields(&[("from", Text), ("to", Text)])),
    ("refresh", Text),
    ("timezone", Word(&["browser", "utc"])),
    ("annotations", Fields(&[("list", Nothing)])),
    ("links", Nothing),
    ("templating", Fields(&[("list", Each(&VARIABLE))])),
    ("panels", Each(&PANEL)),
]);

/// Adds a line for each part of a value that has another shape.
fn check(shape: &Shape, value: &Value, at: &str, faults: &mut Vec<String>) {
    let fits = match (shape, value) {
        (Any, _) | (Text, Value::String(_)) | (Truth, Value::Bool(_)) => true,
        (Number | Bound, Value::Number(_)) | (Bound, Value::Null) => true,
        (Whole, Value::Number(number)) => number.is_u64(),
        (Word(words), Value::String(text)) => words.contains(&text.as_str()),
        (Nothing, Value::Array(items)) => items.is_empty(),
        (Each(one), Value::Array(items)) => {
            items.iter().enumerate().for_each(|(number, item)| check(one, item, &format!("{at}[{number}]"), faults));
            true
        }
        (Fields(fields), Value::Object(object)) => {
            let known = |name: &str| fields.iter().any(|(field, _)| field.trim_end_matches('?') == name);
            faults.extend(object.keys().filter(|name| !known(name.as_str())).map(|name| format!("{at}.{name} is unknown")));
            for (field, shape) in *fields {
                let name = field.trim_end_matches('?');
                match object.get(name) {
                    Some(value) => check(shape, value, &format!("{at}.{name}"), faults),
                    None if field.ends_with('?') => {}
                    None => faults.push(format!("{at}.{name} is missing")),
                }
            }
            true
        }
        (ByType(shapes), Value::Object(object)) => {
            let kind = object.get("type").and_then(Value::as_str).unwrap_or_default();
            let shape = shapes.iter().find(|(name, _)| *name == kind);
            shape.inspect(|(_, shape)| check(shape, value, at, faults)).is_some()
        }
        _ => false,
    };
    if !fits {
        faults.push(format!("{at} cannot be {value}"));
    }
}

fn faults_of(dashboard: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    check(&DASHBOARD, dashboard, "dashboard", &mut faults);
    faults
}

fn dashboard() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("docs/observability/dashboard.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().unwrap()
}

#[test]
fn every_field_is_one_of_grafanas() {
    let dashboard = dashboard();
    assert_eq!(faults_of(&dashboard), Vec::<String>::new());
    let uid = dashboard["uid"].as_str().unwrap();
    assert!(!uid.is_empty() && uid.len() <= UID_MAX, "{uid}");
}

#[test]
fn a_field_a_type_or_a_word_that_grafana_does_not_have_is_a_fault() {
    let row = list(&dashboard(), "panels").iter().position(|panel| panel["type"] == "row").unwrap();
    let graph = list(&dashboard(), "panels").iter().position(|panel| panel["type"] == "timeseries").unwrap();
    for (place, value) in [
        ("/colour".to_owned(), json!("blue")),
        ("/panels/0/type".to_owned(), json!("rows")),
        (format!("/panels/{row}/targets"), json!([])),
        (format!("/panels/{graph}/id"), json!(1.5)),
        (format!("/panels/{graph}/title"), Value::Null),
        (format!("/panels/{graph}/options/legend/placement"), json!("below")),
        (format!("/panels/{graph}/fieldConfig/defaults/unit"), json!("seconds")),
        (format!("/panels/{graph}/targets/0/datasource/type"), json!("loki")),
        (format!("/panels/{graph}/fieldConfig/overrides"), json!([{}])),
    ] {
        let mut changed = dashboard();
        let (parent, name) = place.rsplit_once('/').unwrap();
        changed.pointer_mut(parent).unwrap()[name] = value;
        assert_eq!(faults_of(&changed).len(), 1, "{place}: {:?}", faults_of(&changed));
    }
    let mut short = dashboard();
    short.as_object_mut().unwrap().remove("refresh");
    assert_eq!(faults_of(&short), ["dashboard.refresh is missing"]);
}

#[test]
fn every_panel_asks_the_data_source_that_is_chosen_under_an_id_of_its_own() {
    let dashboard = dashboard();
    assert_eq!(dashboard["templating"]["list"][0]["type"], "datasource");
    let panels = list(&dashboard, "panels");
    let ids: BTreeSet<u64> = panels.iter().map(|panel| panel["id"].as_u64().unwrap()).collect();
    assert!(!panels.is_empty() && !ids.contains(&0));
    assert_eq!(ids.len(), panels.len(), "a panel's id is taken twice");
    for panel in panels.iter().filter(|panel| panel["type"] != "row") {
        let (title, targets) = (&panel["title"], list(panel, "targets"));
        assert!(!targets.is_empty(), "{title}");
        for asks in targets.iter().chain([panel]) {
            assert_eq!(asks["datasource"]["uid"], "${datasource}", "{title}");
        }
        let names: BTreeSet<&str> = targets.iter().map(|target| target["refId"].as_str().unwrap()).collect();
        assert_eq!(names.len(), targets.len(), "{title}: a query's name is taken twice");
        assert!(targets.iter().all(|target| target["expr"] != ""), "{title}");
    }
}

#[test]
fn thresholds_begin_at_none_and_rise() {
    for panel in list(&dashboard(), "panels").iter().filter(|panel| panel["type"] == "stat") {
        let steps: Vec<Option<f64>> =
            list(&panel["fieldConfig"]["defaults"]["thresholds"], "steps").iter().map(|step| step["value"].as_f64()).collect();
        assert!(steps.first().is_some_and(Option::is_none) && steps.windows(2).all(|pair| pair[0] < pair[1]), "{}", panel["title"]);
    }
}

#[test]
fn variables_are_defined() {
    let dashboard = dashboard();
    let variables = list(&dashboard["templating"], "list").iter().map(|variable| variable["name"].as_str().unwrap());
    let defined: BTreeSet<&str> = variables.chain(BUILT_IN).collect();
    let text = dashboard.to_string();
    let names = text.split('$').skip(1).map(|rest| {
        let rest = rest.trim_start_matches('{');
        rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default()
    });
    let named: BTreeSet<&str> = names.collect();
    assert!(named.contains("job") && named.contains("datasource"), "{named:?}");
    assert_eq!(named.difference(&defined).collect::<Vec<_>>(), Vec::<&&str>::new());
}

#[test]
fn no_panel_covers_another() {
    let dashboard = dashboard();
    let mut covered = BTreeSet::new();
    for panel in list(&dashboard, "panels") {
        let [x, y, w, h] = ["x", "y", "w", "h"].map(|side| panel["gridPos"][side].as_u64().unwrap());
        assert!(x + w <= COLUMNS && w > 0 && h > 0, "{}", panel["title"]);
        for place in (x..x + w).flat_map(|column| (y..y + h).map(move |line| (column, line))) {
            assert!(covered.insert(place), "{}", panel["title"]);
        }
    }
}
