// The phones' pages. They work without scripts; phone.js only refreshes them.
import { Html, html } from '../mailbox/html.ts'
import { renderFrame } from '../mailbox/shell.ts'
import type { Conversation, Text } from './texts.ts'

export interface PageView {
  conversations: Conversation[]
  open: OpenConversation | null
  now: Date
}

export interface OpenConversation {
  phone: string
  channel: 'sms' | 'whatsapp'
  sender: string
  texts: Text[]
  isOff: boolean
  isOptedOut: boolean
  /** The business server's response to the last reply if it failed. */
  trouble: string | null
}

const CHANNELS = { sms: 'SMS', whatsapp: 'WhatsApp' }

export function renderPage(view: PageView): Html {
  const { open } = view
  const unread = view.conversations.reduce((sum, { unread }) => sum + unread, 0)
  const title = `${unread > 0 ? `(${unread}) ` : ''}${open ? `${open.phone} · ` : ''}Recoup phones`
  return renderFrame(
    {
      title,
      name: 'Recoup phones',
      home: '/phone',
      promise: 'SMS and WhatsApp messages sent here are not delivered anywhere else.',
      stylesheet: '/phone/phone.css',
      script: '/phone/phone.js',
      elsewhere: { name: 'Mailbox', href: '/' },
    },
    html`<div class="panes ${open ? 'is-open' : ''}">
  <section class="list-pane" aria-label="Conversations">
    <div class="toolbar">${renderNewNumberForm()}${view.conversations.length > 0 && deleteAll()}</div>
    <div id="list">${listFragment(view)}</div>
  </section>
  <section class="message-pane" aria-label="Phone">${open ? renderPhone(open) : renderEmptySelection(view)}</section>
</div>`,
  )
}

function renderNewNumberForm(): Html {
  return html`<form role="search" action="/phone" method="get"><label class="unseen" for="number">Phone number</label><input id="number" name="phone" type="search" inputmode="tel" placeholder="Find a number, +1…" autocomplete="off"></form>`
}

function deleteAll(): Html {
  return html`<button class="quiet" type="button" popovertarget="confirm-all">Delete all</button>
  <div id="confirm-all" class="confirm" popover role="dialog" aria-labelledby="confirm-question">
    <p id="confirm-question">Delete all conversations?</p><p class="muted">This cannot be undone.</p>
    <form method="post" action="/phone/delete-all"><button type="button" class="quiet" popovertarget="confirm-all" popovertargetaction="hide" autofocus>Cancel</button><button class="danger">Delete</button></form>
  </div>`
}

export function listFragment({ conversations, open, now }: PageView): Html {
  if (conversations.length === 0) return html`<p class="status muted" data-total="0">No messages</p>`
  const total = conversations.reduce((sum, { count }) => sum + count, 0)
  const rows = conversations.map((each) => {
    const isOpen = open?.phone === each.phone && open.channel === each.channel && open.sender === each.sender
    return html`<li><a class="row ${each.unread ? 'is-unread' : ''}" href="/phone?${query(each)}" ${isOpen ? new Html('aria-current="true"') : ''}>
  <span class="who">${each.unread ? html`<span class="dot" aria-hidden="true"></span><span class="unseen">Unread: </span>` : ''}${each.phone}</span>
  <time datetime="${each.lastAt}">${formatShortTime(each.lastAt, now)}</time>
  <span class="subject">${each.lastBody}</span>
  <span class="from muted">${CHANNELS[each.channel]} with ${each.sender}</span>
</a></li>`
  })
  return html`<p class="status muted" data-total="${total}">${conversations.length} ${conversations.length === 1 ? 'conversation' : 'conversations'}</p><ol class="messages">${rows}</ol>`
}

function renderEmptySelection({ conversations }: PageView): Html {
  return conversations.length > 0
    ? html`<div class="empty"><p class="large">Choose a conversation to see that phone.</p></div>`
    : html`<div class="empty"><img src="/icon.svg" alt="" width="72" height="72"><p class="large">No messages yet</p><p class="muted">SMS and WhatsApp messages appear here as soon as they are sent. Enter a phone number at the demo store’s checkout and tick the box for texts. The second reminder arrives after 3 minutes. You can also send yourself one from a cart.</p></div>`
}

function renderPhone(open: OpenConversation): Html {
  const { phone: number, channel, sender } = open
  const hidden = html`<input type="hidden" name="phone" value="${number}"><input type="hidden" name="channel" value="${channel}"><input type="hidden" name="sender" value="${sender}">`
  return html`<article class="phone-side">
  <p class="back"><a href="/phone">← All conversations</a></p>
  <div class="phone ${channel}">
    <header><h2>${sender}</h2><p>${CHANNELS[channel]} on ${number}</p></header>
    <div id="thread" data-query="${query(open)}" tabindex="0" role="log" aria-label="Messages">${renderThread(open)}</div>
    ${open.trouble && html`<p class="trouble" role="alert">${open.trouble}</p>`}
    <form class="reply" method="post" action="/phone/reply">${hidden}
      <label class="unseen" for="reply">Reply</label>
      <input id="reply" name="body" placeholder="Reply" autocomplete="off" maxlength="1000" required>
      <button>Send</button>
    </form>
    <form class="quick" method="post" action="/phone/reply">${hidden}${['STOP', 'START', 'HELP'].map((word) => html`<button class="quiet" name="body" value="${word}">${word}</button>`)}</form>
  </div>
  <form class="off" method="post" action="/phone/off">${hidden}<input type="hidden" name="isOff" value="${open.isOff ? 'false' : 'true'}"><button class="quiet">${open.isOff ? 'Switch this phone on' : 'Switch this phone off'}</button><span class="muted">${open.isOff ? 'It is off: no messages arrive.' : 'Messages then fail, and the sender is notified.'}</span></form>
</article>`
}

export function renderThread({ texts, isOptedOut, sender }: OpenConversation): Html {
  const bubbles = texts.map(
    (text) => html`<div class="bubble ${text.direction === 'in' ? 'mine' : 'theirs'}" data-id="${text.id}">
  <p>${linkUrls(text.body)}</p>${text.url && html`<p><a class="as-button" href="${text.url}" target="_blank" rel="noopener noreferrer">Open the link</a></p>`}
  <p class="muted"><span class="unseen">${text.direction === 'in' ? 'You' : sender}, </span><time datetime="${text.at}">${formatClockTime(text.at)}</time>${text.direction === 'out' && html` · ${describeState(text)}`}</p>
</div>`,
  )
  return html`${bubbles}${isOptedOut && html`<p class="note">The provider blocks SMS from this sender until this phone replies START.</p>`}`
}

function describeState({ status, errorCode }: Text): string {
  if (status === 'failed') return `not delivered (${errorCode ?? 'no code'})`
  return status === 'queued' ? 'on its way' : status
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

const query = ({ phone, channel, sender }: Pick<Conversation, 'phone' | 'channel' | 'sender'>): string =>
  new URLSearchParams({ phone, channel, sender }).toString()

function formatShortTime(iso: string, now: Date): string {
  const minutes = Math.floor((now.getTime() - Date.parse(iso)) / 60_000)
  if (minutes < 1) return 'now'
  if (minutes < 60) return `${minutes} min ago`
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`
  return new Date(iso).toLocaleDateString('en-US', { month: 'short', day: 'numeric' })
}

const formatClockTime = (iso: string): string =>
  new Date(iso).toLocaleString('en-US', { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' })
