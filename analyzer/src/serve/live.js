"use strict";
const state = document.getElementById("state");
const report = document.getElementById("report");
let place = 0;
report.addEventListener("load", () => report.contentWindow.scrollTo(0, place));
const events = new EventSource("/events");
events.addEventListener("state", (event) => { state.textContent = event.data; });
events.addEventListener("report", () => {
  place = report.contentWindow.scrollY;
  report.contentWindow.location.reload();
});
events.addEventListener("error", () => { state.textContent = "disconnected; trying again"; });
