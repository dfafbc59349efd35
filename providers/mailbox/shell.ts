import { type Html, html } from './html.ts'

interface Inbox {
  title: string
  /** Heading and its link. */
  name: string
  home: string
  /** Links to other inboxes, if any. */
  elsewhere: { name: string; href: string } | false
  /** Note on what happens to received messages. */
  promise: string
  /** Additional style sheet. */
  stylesheet?: string
  script: string
}

/** The frame of the mailbox's and phones' pages. */
export function renderFrame(inbox: Inbox, main: Html): Html {
  const { title, name, home, elsewhere, promise, stylesheet, script } = inbox
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/mailbox.css">
${stylesheet !== undefined && html`<link rel="stylesheet" href="${stylesheet}">`}
<script src="${script}" defer></script>
</head>
<body>
<header class="top"><h1><a href="${home}"><img src="/icon.svg" alt="" width="28" height="28">${name}</a></h1>${elsewhere && html`<nav class="elsewhere" aria-label="Other inboxes"><a href="${elsewhere.href}">${elsewhere.name}</a></nav>`}<p>${promise}</p></header>
<main>${main}</main>
<p id="news" class="unseen" role="status" aria-live="polite"></p>
</body>
</html>`
}
