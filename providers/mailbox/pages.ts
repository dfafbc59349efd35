// The mailbox's pages. They work without scripts; mailbox.js only refreshes the list.
import { Html, html } from './html.ts'
import type { Filter, MessageSummary, StoredMessage } from './messages.ts'
import type { MessageContent } from './parse.ts'
import { renderFrame as frame } from './shell.ts'

export const tabs = ['html', 'text', 'headers'] as const
export type Tab = (typeof tabs)[number]

export interface Listing {
  list: MessageSummary[]
  counts: { total: number; unread: number }
  filter: Filter
  now: Date
  version: string
  /** Whether to link to the phones (SMS and WhatsApp). */
  hasPhones: boolean
}

export interface OpenMessage {
  message: StoredMessage
  content: MessageContent
  tab: Tab
}

export function renderPage(listing: Listing, opened: OpenMessage | null): Html {
  const { unread } = listing.counts
  const title = `${unread > 0 ? `(${unread}) ` : ''}${opened ? `${opened.message.subject} · ` : ''}Recoup mailbox`
  return renderShell(
    title,
    html`<div class="panes ${opened ? 'is-open' : ''}">
  <section class="list-pane" aria-label="Received mail">
    ${renderToolbar(listing)}
    <div id="list" data-selected="${opened?.message.id ?? ''}">${listFragment(listing, opened?.message.id ?? null)}</div>
  </section>
  <section class="message-pane" aria-label="Message">${opened ? renderMessage(opened, listing) : renderEmptySelection(listing)}</section>
</div>`,
    listing.hasPhones,
  )
}

const renderShell = (title: string, main: Html, hasPhones = false) =>
  frame(
    {
      title,
      name: 'Recoup mailbox',
      home: '/',
      promise: 'Emails sent here are not delivered anywhere else.',
      script: '/mailbox.js',
      elsewhere: hasPhones && { name: 'Phones', href: '/phone' },
    },
    main,
  )

function renderToolbar({ filter, counts }: Listing): Html {
  return html`<div class="toolbar">
  <form role="search" action="/" method="get">
    <label class="unseen" for="q">Search mail</label>
    <input id="q" name="q" type="search" placeholder="Search mail" value="${filter.search ?? ''}" autocomplete="off">
  </form>
  ${counts.total > 0 && html`<button class="quiet" type="button" popovertarget="confirm-all">Delete all</button>${renderConfirmation('confirm-all', `Delete all ${counts.total} messages?`, '/delete-all')}`}
</div>`
}

/** A popover works without scripts. The safe choice has the focus. */
function renderConfirmation(id: string, question: string, action: string): Html {
  return html`<div id="${id}" class="confirm" popover role="dialog" aria-labelledby="${id}-question">
  <p id="${id}-question">${question}</p><p class="muted">This cannot be undone.</p>
  <form method="post" action="${action}"><button type="button" class="quiet" popovertarget="${id}" popovertargetaction="hide" autofocus>Cancel</button><button class="danger">Delete</button></form>
</div>`
}

export function listFragment(listing: Listing, selected: number | null): Html {
  const { list, counts, filter } = listing
  const isSearch = filter.search !== undefined
  const status = html`<p class="status muted" data-total="${counts.total}" data-unread="${counts.unread}">${isSearch ? countText(list.length, filter) : describeInbox(counts)}</p>`
  if (list.length === 0) return html`${status}${isSearch ? renderEmptySearch(filter) : ''}`
  const last = list.at(-1)!
  const older =
    list.length >= (filter.limit ?? 100)
      ? html`<p class="older"><a href="/?${query({ ...filter, before: last.id })}">Older messages</a></p>`
      : ''
  return html`${status}<ol class="messages" reversed>${list.map((message) => renderRow(message, listing, selected))}</ol>${older}`
}

function describeInbox({ total, unread }: Listing['counts']): string {
  if (total === 0) return 'No messages'
  return `${total} ${total === 1 ? 'message' : 'messages'}${unread > 0 ? `, ${unread} unread` : ''}`
}

function countText(count: number, { search, limit }: Filter): string {
  return `${count}${count >= (limit ?? 100) ? ' or more' : ''} ${count === 1 ? 'message' : 'messages'} for “${search}”`
}

function renderEmptySearch({ search }: Filter): Html {
  return html`<div class="empty"><p>Nothing matches “${search ?? ''}”.</p><p><a href="/">Show all messages</a></p></div>`
}

function renderRow(message: MessageSummary, { now, filter }: Listing, selected: number | null): Html {
  const { id, from, to, subject, isRead, receivedAt } = message
  const search = filter.search ? `?${query({ search: filter.search })}` : ''
  return html`<li><a class="row ${isRead ? '' : 'is-unread'}" href="/messages/${id}${search}" data-id="${id}" ${id === selected ? new Html('aria-current="true"') : ''}>
  <span class="who">${isRead ? '' : html`<span class="dot" aria-hidden="true"></span><span class="unseen">Unread: </span>`}${to.join(', ')}</span>
  <time datetime="${receivedAt}" title="${formatFullTime(receivedAt)}">${formatShortTime(receivedAt, now)}</time>
  <span class="subject">${subject}</span>
  <span class="from muted">from ${from}</span>
</a></li>`
}

function renderEmptySelection({ counts }: Listing): Html {
  if (counts.total > 0) {
    return html`<div class="empty"><p class="large">Choose a message to read it.</p><p class="muted keys"><kbd>J</kbd> next <kbd>K</kbd> previous <kbd>/</kbd> search</p></div>`
  }
  return html`<div class="empty"><img src="/icon.svg" alt="" width="72" height="72"><p class="large">No mail yet</p><p class="muted">Messages appear here as soon as they are sent. Abandon a cart in the demo store to get a reminder.</p></div>`
}

function renderMessage({ message, content, tab }: OpenMessage, { filter }: Listing): Html {
  const { id, subject, from, to, receivedAt, size } = message
  const search = filter.search ? `?${query({ search: filter.search })}` : ''
  return html`<article>
  <p class="back"><a href="/${search}">← All mail</a></p>
  <header>
    <h2 id="subject" tabindex="-1">${subject}</h2>
    <dl><dt>From</dt><dd>${from}</dd><dt>To</dt><dd>${to.join(', ')}</dd><dt>Received</dt><dd><time datetime="${receivedAt}">${formatFullTime(receivedAt)}</time> <span class="muted">(${formatBytes(size)})</span></dd></dl>
    <div class="actions">
      ${content.oneClickUrl && html`<form method="post" action="/messages/${id}/unsubscribe"><button class="quiet">Unsubscribe</button></form>`}
      <a class="as-button quiet" href="/messages/${id}/raw" download>Download raw</a>
      <button class="quiet" type="button" popovertarget="confirm-one">Delete</button>
      ${renderConfirmation('confirm-one', 'Delete this message?', `/messages/${id}/delete`)}
    </div>
    ${message.unsubscribe && html`<p class="note" role="status">One-click unsubscribe, ${formatFullTime(message.unsubscribe.at)}: the sender ${message.unsubscribe.answer}.</p>`}
  </header>
  <nav class="tabs" aria-label="View">${tabs.map((each) => renderTabLink(id, each, tab, filter))}</nav>
  ${renderPanel(id, content, tab)}
  ${content.attachments.length > 0 && html`<h3>Attachments</h3><ul>${content.attachments.map((file) => html`<li>${file.name} <span class="muted">${file.type}, ${formatBytes(file.size)}</span></li>`)}</ul>`}
</article>`
}

const TAB_NAMES: Record<Tab, string> = { html: 'HTML', text: 'Text', headers: 'Headers' }

function renderTabLink(id: number, tab: Tab, current: Tab, { search }: Filter): Html {
  const target = `/messages/${id}?${query({ ...(search ? { search } : {}), tab })}`
  return html`<a href="${target}" ${tab === current ? new Html('aria-current="page"') : ''}>${TAB_NAMES[tab]}</a>`
}

function renderPanel(id: number, content: MessageContent, tab: Tab): Html {
  if (tab === 'html' && content.html === null) return html`<p class="muted">This message has no HTML part.</p>`
  if (tab === 'html') {
    return html`<iframe class="mail" title="The message as HTML" src="/messages/${id}/html" sandbox="allow-popups allow-popups-to-escape-sandbox" referrerpolicy="no-referrer"></iframe>`
  }
  if (tab === 'text')
    return html`<pre class="text" tabindex="0" aria-label="The message as text">${linkUrls(content.text)}</pre>`
  return html`<table class="headers"><thead class="unseen"><tr><th scope="col">Header</th><th scope="col">Value</th></tr></thead><tbody>${content.headers.map(({ name, value }) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}</tbody></table>`
}

function linkUrls(text: string): Html[] {
  return text
    .split(/(https?:\/\/[^\s<>"']+)/i)
    .map((piece, at) =>
      at % 2
        ? html`<a href="${piece}" target="_blank" rel="noopener noreferrer nofollow">${piece}</a>`
        : html`${piece}`,
    )
}

export function renderNotFoundPage(): Html {
  return renderShell(
    'Recoup mailbox',
    html`<div class="empty"><p class="large">This message no longer exists.</p><p><a href="/">Back to the mailbox</a></p></div>`,
  )
}

/**
 * The email's document for its frame, with links opening in a new tab. Text before the doctype would change the
 * rendering mode.
 */
export function renderMailDocument(mail: string): string {
  const base = '<base target="_blank">'
  const head = /<head(\s[^<>]*)?>/i.exec(mail) ?? /<html(\s[^<>]*)?>/i.exec(mail) ?? /^\s*<!doctype[^>]*>/i.exec(mail)
  const at = head ? head.index + head[0].length : 0
  return `${head ? '' : '<!doctype html>'}${mail.slice(0, at)}${base}${mail.slice(at)}`
}

function query(values: Filter & { tab?: string }): string {
  const params = new URLSearchParams()
  if (values.search) params.set('q', values.search)
  if (values.before) params.set('before', String(values.before))
  if (values.tab) params.set('tab', values.tab)
  return params.toString()
}

function formatShortTime(iso: string, now: Date): string {
  const minutes = Math.floor((now.getTime() - Date.parse(iso)) / 60_000)
  if (minutes < 1) return 'now'
  if (minutes < 60) return `${minutes} min ago`
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`
  return new Date(iso).toLocaleDateString('en-US', { month: 'short', day: 'numeric' })
}

function formatFullTime(iso: string): string {
  return new Date(iso).toLocaleString('en-US', { dateStyle: 'medium', timeStyle: 'medium' })
}

function formatBytes(count: number): string {
  if (count < 1_000) return `${count} bytes`
  return count < 1_000_000 ? `${Math.round(count / 1_000)} KB` : `${(count / 1_000_000).toFixed(1)} MB`
}
