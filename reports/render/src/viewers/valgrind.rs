//! Valgrind's XML, protocol 4, as memcheck writes it: for Jenkins, CLion, Qt Creator and KDevelop.
//!
//! Its readers know only Valgrind's own kinds, so each rule uses the nearest one, and the text contains the rule's name. A stack has at
//! least two frames (one common reader crashes on fewer): the call itself and its caller.

mod kinds;

use std::io::Write;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use crate::model::{Finding, Frame, Report, Trace};
use crate::totals;
use crate::units::printable;

type Xml = Writer<Vec<u8>>;

/// The document.
///
/// # Errors
/// Never in practice: it is written to memory.
pub fn document(report: &Report) -> std::io::Result<Vec<u8>> {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", None, None)))?;
    let process = report.processes.first();
    xml.create_element("valgrindoutput")
        .write_inner_content(|xml| {
            text(xml, "protocolversion", "4")?;
            text(xml, "protocoltool", "memcheck")?;
            text(
                xml,
                "pid",
                &process.map_or(0, |process| process.pid).to_string(),
            )?;
            text(
                xml,
                "ppid",
                process.map_or("0", |process| process.parent.as_str()),
            )?;
            text(xml, "tool", "memcheck")?;
            xml.create_element("args").write_inner_content(|xml| {
                xml.create_element("argv").write_inner_content(|xml| {
                    text(
                        xml,
                        "exe",
                        process.map_or("", |process| process.program.as_str()),
                    )
                })?;
                Ok(())
            })?;
            status(xml, "RUNNING")?;
            for finding in &report.findings {
                error(xml, report, finding)?;
            }
            status(xml, "FINISHED")
        })?;
    let mut document = xml.into_inner();
    document.write_all(b"\n")?;
    Ok(document)
}

fn status(xml: &mut Xml, state: &str) -> std::io::Result<()> {
    xml.create_element("status").write_inner_content(|xml| {
        text(xml, "state", state)?;
        text(xml, "time", "00:00:00:00.000")
    })?;
    Ok(())
}

fn error(xml: &mut Xml, report: &Report, finding: &Finding) -> std::io::Result<()> {
    xml.create_element("error").write_inner_content(|xml| {
        text(xml, "unique", &format!("0x{}", finding.fingerprint))?;
        text(xml, "tid", &finding.thread.to_string())?;
        let what = format!(
            "{} ({}): {}",
            finding.rule,
            finding.severity.name(),
            totals::message_with_total(finding, &report.leaks)
        );
        let leak = report.leaks.of(finding);
        text(xml, "kind", kinds::kind(finding.rule, leak.is_some()))?;
        match leak {
            Some(leak) => {
                xml.create_element("xwhat").write_inner_content(|xml| {
                    text(xml, "text", &what)?;
                    text(xml, "leakedbytes", &leak.bytes.to_string())?;
                    text(xml, "leakedblocks", &leak.blocks.to_string())
                })?;
            }
            None => text(xml, "what", &what)?,
        }
        stack(xml, &finding.stacks.here)?;
        for trace in &finding.stacks.earlier {
            text(
                xml,
                "auxwhat",
                &format!("{} by {}", trace.what, trace.function),
            )?;
            stack(xml, trace)?;
        }
        Ok(())
    })?;
    Ok(())
}

fn stack(xml: &mut Xml, trace: &Trace) -> std::io::Result<()> {
    let call = Frame {
        function: Some(trace.function.as_str().into()),
        module: "libascendcl.so".into(),
        ..Frame::default()
    };
    let unknown = Frame::default();
    let caller = match trace.frames.is_empty() {
        true => std::slice::from_ref(&unknown),
        false => &trace.frames,
    };
    xml.create_element("stack").write_inner_content(|xml| {
        for frame in std::iter::once(&call).chain(caller) {
            xml.create_element("frame").write_inner_content(|xml| {
                text(
                    xml,
                    "ip",
                    &format!("{:#X}", frame.address).replace("0X", "0x"),
                )?;
                text(xml, "obj", &frame.module)?;
                if let Some(function) = &frame.function {
                    text(xml, "fn", function)?;
                }
                if let (Some(path), Some(line)) = (&frame.file, frame.line) {
                    let (dir, file) = path.rsplit_once('/').unwrap_or(("", path));
                    text(xml, "dir", dir)?;
                    text(xml, "file", file)?;
                    text(xml, "line", &line.to_string())?;
                }
                Ok(())
            })?;
        }
        Ok(())
    })?;
    Ok(())
}

fn text(xml: &mut Xml, name: &str, content: &str) -> std::io::Result<()> {
    xml.create_element(name)
        .write_text_content(BytesText::new(&printable(content)))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{IN_ALL, leaky, report};

    #[test]
    fn every_finding_is_an_error_of_a_kind_that_readers_know_with_two_frames_at_least() {
        let xml = String::from_utf8(document(&report()).unwrap()).unwrap();
        assert_eq!(xml.matches("<error>").count(), 2);
        assert_eq!(xml.matches("<kind>InvalidFree</kind>").count(), 2);
        assert!(xml.contains("<what>double-free (error): `aclrtFree` released a block twice: 100% &lt;wrong&gt;; 2 times</what>"), "{xml}");
        assert!(xml.contains("<dir>/src/app</dir>"));
        for stack in xml.split("<stack>").skip(1) {
            let stack = stack.split("</stack>").next().unwrap();
            assert!(stack.matches("<frame>").count() >= 2, "{stack}");
        }
    }

    #[test]
    fn a_leak_s_text_and_its_numbers_agree() {
        let xml = String::from_utf8(document(&leaky()).unwrap()).unwrap();
        assert!(xml.contains(&format!("{IN_ALL}</text>")), "{xml}");
        assert!(xml.contains("<leakedbytes>4194304</leakedbytes>"));
    }
}
