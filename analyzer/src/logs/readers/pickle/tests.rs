use super::*;

fn loaded(bytes: &[u8]) -> Pickle<'_> {
    load(bytes).unwrap_or_else(|error| panic!("{error}"))
}

fn fault(bytes: &[u8]) -> String {
    load(bytes).unwrap_err().to_string()
}

/// What Python's `pickle.dumps({"a": [1, -2, 70000, 2**40, 2**63, 2**70, -2**63], "b": (1.5, None, True), "a2": {}}, protocol)` writes.
#[test]
fn data_of_every_protocol_by_hand() {
    let two = b"\x80\x02}q\x00(X\x01\x00\x00\x00aq\x01]q\x02(K\x01J\xfe\xff\xff\xffJp\x11\x01\x00\x8a\x06\x00\x00\x00\x00\x00\x01\
        \x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00@\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80e\
        X\x01\x00\x00\x00bq\x03G?\xf8\x00\x00\x00\x00\x00\x00N\x88\x87q\x04u.";
    let four = b"\x80\x04\x95\x46\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x01a\x94]\x94(K\x01J\xfe\xff\xff\xffJp\x11\x01\x00\x8a\x06\x00\x00\x00\x00\x00\x01\
        \x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00@\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80e\
        \x8c\x01b\x94G?\xf8\x00\x00\x00\x00\x00\x00N\x88\x87\x94u.";
    for bytes in [two.as_slice(), four.as_slice()] {
        let pickle = loaded(bytes);
        let Value::Dict(top) = pickle.top else {
            panic!("{:?}", pickle.top)
        };
        let [(a, numbers), (b, mixed)] = pickle.dict(top) else {
            panic!("{:?}", pickle.dict(top))
        };
        assert_eq!((*a, *b), (Value::Text(b"a"), Value::Text(b"b")));
        let (Value::List(numbers), Value::List(mixed)) = (numbers, mixed) else {
            panic!("{numbers:?} {mixed:?}")
        };
        assert_eq!(
            pickle.list(*numbers),
            [
                Value::Int(1),
                Value::Int(-2),
                Value::Int(70_000),
                Value::Int(1 << 40),
                Value::Unsigned(1 << 63),
                Value::Huge,
                Value::Int(i64::MIN),
            ]
        );
        assert_eq!(
            pickle.list(*mixed),
            [Value::Float(1.5), Value::None, Value::Bool(true)]
        );
    }
}

#[test]
fn what_could_call_a_function_is_refused_by_name() {
    // `os.system("id")`, by every opcode that could.
    for (bytes, name, at) in [
        (
            b"\x80\x02cos\nsystem\nX\x02\x00\x00\x00id\x85R.".as_slice(),
            "GLOBAL",
            2,
        ),
        (
            b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x02id\x85R.",
            "STACK_GLOBAL",
            14,
        ),
        (b"\x80\x02(X\x02\x00\x00\x00idios\nsystem\n.", "INST", 10),
        (b"\x80\x02(NNo.", "OBJ", 5),
        (b"\x80\x02NNR.", "REDUCE", 4),
        (b"\x80\x02NNb.", "BUILD", 4),
        (b"\x80\x02NN\x81.", "NEWOBJ", 4),
        (b"\x80\x04NNN\x92.", "NEWOBJ_EX", 5),
        (b"\x80\x02NQ.", "BINPERSID", 3),
        (b"\x80\x02\x82\x01.", "EXT1", 2),
        (b"\x80\x05\x97.", "NEXT_BUFFER", 2),
    ] {
        assert_eq!(
            fault(bytes),
            format!(
                "its pickle has the opcode {name} at byte {at}: only plain data is read, and nothing is ever executed"
            )
        );
    }
    assert!(fault(b"\x80\x02\xff.").contains("byte 2 is 0xff, which is no opcode"));
}

#[test]
fn other_protocols_and_other_files_are_named() {
    assert!(fault(b"").contains("no pickle"));
    assert!(fault(b"(dp0\n.").contains("no pickle"));
    assert!(fault(b"\x80\x06N.").contains("protocol is 6: this reads protocols 2 to 5"));
    assert!(fault(b"\x80\x01N.").contains("protocol is 1"));
}

#[test]
fn every_cut_of_a_pickle_is_an_error() {
    let whole = b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x01a\x94]\x94(K\x01M\x00\x02e\x8c\x01bG?\xf8\x00\x00\x00\x00\x00\x00u.";
    loaded(whole);
    for end in 0..whole.len() {
        let error = load(&whole[..end]).unwrap_err();
        match end {
            0 | 1 => assert_eq!(error.fault, Fault::NoPickle),
            _ => assert_eq!((error.fault, error.offset), (Fault::Ends, end)),
        }
    }
}

#[test]
fn lengths_beyond_the_file_take_no_memory() {
    for bytes in [
        b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xffa.".as_slice(),
        b"\x80\x04\x96\xff\xff\xff\xff\xff\xff\xff\x7fa.",
        b"\x80\x02X\xff\xff\xff\xffa.",
        b"\x80\x02\x8b\xff\xff\xff\xffa.",
        b"\x80\x02\x8a\xffa.",
    ] {
        assert_eq!(load(bytes).unwrap_err().fault, Fault::Ends);
    }
    // A memo entry of any number would need 24 bytes times that.
    assert!(fault(b"\x80\x02Nr\xff\xff\xff\xff.").contains("needs a memo entry"));
    assert!(fault(b"\x80\x02Nq\x00j\xff\xff\xff\xff.").contains("refers to memo entry 4294967295"));
}

#[test]
fn a_memo_bomb_and_deep_nesting_stay_as_small_as_they_are_written() {
    // Each list holds the previous one ten times: 10^60 items, if they were copied.
    let mut bomb = b"\x80\x04N\x94".to_vec();
    for level in 0..60 {
        bomb.extend(b"](");
        bomb.extend([b'h', level].repeat(10));
        bomb.extend(b"e\x94");
    }
    bomb.push(b'.');
    let pickle = loaded(&bomb);
    assert_eq!(pickle.lists.len(), 60);
    assert!(pickle.lists.iter().all(|list| list.len() == 10));

    let mut deep = b"\x80\x02".to_vec();
    deep.extend(vec![b'('; 1_000_000]);
    deep.extend(vec![b't'; 1_000_000]);
    deep.push(b'.');
    assert_eq!(loaded(&deep).lists.len(), 1_000_000);

    // A list in itself.
    assert!(matches!(
        loaded(b"\x80\x02]q\x00h\x00a.").top,
        Value::List(_)
    ));
}

#[test]
fn values_below_a_mark_are_out_of_reach() {
    for bytes in [
        b"\x80\x02N(\x85.".as_slice(),
        b"\x80\x02N(.",
        b"\x80\x02](a.",
        b"\x80\x02e.",
        b"\x80\x02t.",
        b"\x80\x02.",
        b"\x80\x022.",
        b"\x80\x02N(Ne.",
        b"\x80\x02]NNs.",
        b"\x80\x02}(Nu.",
        b"\x80\x02q\x00.",
    ] {
        assert!(
            matches!(load(bytes).unwrap_err().fault, Fault::Lacks(_)),
            "{bytes:?}"
        );
    }
    assert_eq!(loaded(b"\x80\x02N(0.").top, Value::None);
    assert_eq!(loaded(b"\x80\x02N(NN1.").top, Value::None);
}
