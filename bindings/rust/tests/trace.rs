// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! On what rqspin trace has written.
use std::{collections::BTreeMap, fs};

use rqspin::{
    read_trace,
    trace::{Line, TraceError},
};
use serde_json::Value;

const TOP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn whole() -> String {
    fs::read_to_string(format!("{TOP}/bindings/testdata/trace.jsonl")).unwrap()
}

fn recorded() -> Vec<String> {
    let folder = fs::read_dir(format!("{TOP}/selftests/tool/cli/replay")).unwrap();
    let files = folder.map(|f| f.unwrap().path());
    let traces = files.filter(|f| f.extension().is_some_and(|e| e == "jsonl"));
    let mut texts: Vec<_> = traces.map(|f| fs::read_to_string(f).unwrap()).collect();
    assert!(texts.len() >= 8);
    texts.push(whole());
    texts
}

/// Every member that trace has written is there, with its value.
#[test]
fn lines_are_kept() {
    let mut types = BTreeMap::<String, u32>::new();
    for text in recorded().iter().flat_map(|t| t.lines()) {
        let line: Line = serde_json::from_str(text).unwrap();
        let mut want: Value = serde_json::from_str(text).unwrap();
        want.as_object_mut().unwrap().remove("schema");
        assert_eq!(serde_json::to_value(line).unwrap(), want);
        *types.entry(want["type"].to_string()).or_default() += 1;
    }
    assert!(types["\"failure\""] >= 9 && types["\"repeat\""] >= 1);
    assert_eq!((types["\"wait\""], types["\"summary\""]), (1, 1));
}

#[test]
fn a_trace_is_read_to_its_summary() {
    let mut shown = Vec::new();
    let show = |line| {
        if let Line::Failure(failure) = line {
            shown.push(failure.to_string());
        }
    };
    let sum = read_trace(whole().as_bytes(), show).unwrap();
    assert_eq!(shown, ["AA in aa at aa.bpf.c:41: wants slots[0].lock"]);
    assert_eq!((sum.events, sum.repeats, sum.lost), (3, 2, 0));
}

fn error(text: &str) -> TraceError {
    read_trace(text.as_bytes(), |_| {}).unwrap_err()
}

#[test]
fn a_trace_that_is_none() {
    let whole = whole();
    let lines: Vec<_> = whole.lines().collect();
    assert!(matches!(error(""), TraceError::NoSummary));
    assert!(matches!(error(lines[0]), TraceError::NoSummary));
    let cut = format!("{}\n{}", lines[0], &lines[1][..40]);
    assert!(matches!(error(&cut), TraceError::Line(2, _)));
    assert!(matches!(error("AA\n"), TraceError::Line(1, _)));
    let other = lines[0].replace("event/2", "event/3");
    assert!(matches!(error(&other), TraceError::Schema(1, s) if s == "rqspin-event/3"));
    let new = lines[0].replace("\"failure\"", "\"new\"");
    assert!(matches!(error(&new), TraceError::Line(1, _)));
}
