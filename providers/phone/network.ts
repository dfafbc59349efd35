import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildInboundCallback, buildStatusCallback, type Callback } from './callbacks.ts'
import { type Line, MAX_TRIES, type NewText, openTexts, type Text } from './texts.ts'

// The sandbox's phone network: delivers messages that the provider APIs accepted and reports status by signed
// callbacks. Everything is stored before it is answered; pending deliveries continue after a restart.

export interface NetworkOptions {
  /** SQLite file, created if missing; ':memory:' for tests. */
  dataFile: string
  now?: () => Date
  /** Delay between two states of a text; null: only `settle` advances them. */
  paceMs?: number | null
  /** Maps a callback address to a reachable one; signatures use the original. */
  reach?: (url: string) => string
}

export interface SentReply {
  status: number
  body: string
}

export type Network = ReturnType<typeof openNetwork>

const NEXT_STATUS = { queued: 'sent', sent: 'delivered' } as const
const DAY_MS = 86_400_000
const CALLBACK_LIMIT_MS = 15_000

export function openNetwork({ dataFile, now = () => new Date(), paceMs = 700, reach = (url) => url }: NetworkOptions) {
  const texts = openTexts(dataFile)
  const stopping = new AbortController()
  const off = new Set<string>()
  let isMoving = false
  let moving = Promise.resolve()

  const post = async (callback: Callback): Promise<SentReply> => {
    const { url, contentType, body, headers } = callback
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(CALLBACK_LIMIT_MS)])
    const reply = await fetch(reach(url), {
      method: 'POST',
      headers: { 'content-type': contentType, ...headers },
      body,
      signal,
      redirect: 'manual',
    })
    return { status: reply.status, body: await reply.text() }
  }

  const reportStatus = async (text: Text): Promise<boolean> => {
    const line = texts.line(text.provider, text.account)
    const callback = line && buildStatusCallback(text, line, now())
    if (!callback) return true
    const answer = await post(callback).catch(() => null)
    if (!answer || answer.status >= 300) {
      texts.recordAttempt(text.id)
      return false
    }
    texts.recordReported(text.id, text.status)
    return true
  }

  /** Advances each pending text by one step: reports its state, or moves it to the next. */
  const step = async (): Promise<number> => {
    const waiting = texts.listPending()
    await Promise.all(
      waiting.map(async (text) => {
        const isUnreported =
          text.callback !== null && text.told !== text.status && text.status !== 'queued' && text.tries < MAX_TRIES
        if (isUnreported) return reportStatus(text)
        const errorCode = findErrorCode(text)
        if (errorCode) texts.setStatus(text.id, 'failed', errorCode)
        else if (text.status === 'queued' || text.status === 'sent') texts.setStatus(text.id, NEXT_STATUS[text.status])
        return true
      }),
    )
    return waiting.length
  }

  /** The provider's error code; null: the text is delivered. */
  const findErrorCode = (text: Text): number | null => {
    const isTwilio = text.provider === 'twilio'
    if (off.has(text.phone)) return isTwilio ? 30003 : 131026
    if (text.channel === 'whatsapp' && text.isFreeText && text.status === 'queued') {
      const last = texts.lastMessageFrom(text.account, text.phone)
      if (!last || now().getTime() - Date.parse(last) > DAY_MS) return isTwilio ? 63016 : 131047
    }
    return null
  }

  const move = () => {
    if (isMoving || paceMs === null || stopping.signal.aborted) return
    isMoving = true
    moving = moveAll(paceMs).finally(() => (isMoving = false))
  }
  const moveAll = async (everyMs: number) => {
    while (!stopping.signal.aborted && texts.listPending().length > 0) {
      await sleep(everyMs, null, { signal: stopping.signal, ref: false }).catch(() => {})
      if (!stopping.signal.aborted) await step()
    }
  }
  move()

  return {
    texts,
    now,
    /** Accepts a text from a business to a phone. */
    send(text: Omit<NewText, 'direction' | 'status' | 'at'>): Text {
      const added = texts.add({ ...text, direction: 'out', status: 'queued', at: now().toISOString() })
      move()
      return added
    },
    /** Sends a person's reply. Resolves with the business server's response; null if it was unreachable. */
    async answer(
      line: Line,
      { phone, channel, body }: Pick<Text, 'phone' | 'channel' | 'body'>,
    ): Promise<SentReply | null> {
      const text = texts.add({ ...createText(line), phone, channel, body, direction: 'in', status: 'received' })
      const callback = buildInboundCallback(text, line)
      const answered = callback ? await post(callback).catch(() => null) : null
      if (line.provider === 'twilio' && answered?.status === 200) recordReplies(line, text, answered.body)
      return answered
    },
    /** Switches a phone on or off; a phone that is off receives nothing. */
    setOff: (phone: string, isOff: boolean) => void (isOff ? off.add(phone) : off.delete(phone)),
    isOff: (phone: string) => off.has(phone),
    /** The person opened the conversation: WhatsApp sends read receipts. */
    open(phone: string, channel: Text['channel'], sender: string) {
      texts.markSeen(phone, channel, sender)
      if (channel !== 'whatsapp') return
      for (const text of texts.thread(phone, channel, sender)) {
        if (text.direction === 'out' && text.status === 'delivered') texts.setStatus(text.id, 'read')
      }
      move()
    },
    /** Advances all pending texts to their final state. */
    async settle() {
      for (let rounds = 100; rounds > 0 && (await step()) > 0; rounds -= 1);
    },
    async stop() {
      stopping.abort()
      await moving
      texts.close()
    },
  }

  function createText(line: Line) {
    const { provider, account, sender } = line
    const none = { url: null, callback: null, reference: null, isFreeText: 1 as const }
    return { provider, account, sender, sid: createSid(line), at: now().toISOString(), ...none }
  }

  /** Handles the business's immediate TwiML replies. The provider itself then opts the number out or in. */
  function recordReplies(line: Line, text: Text, twiml: string) {
    for (const part of twiml.split('<Message>').slice(1)) {
      const [content] = part.split('</Message>', 1)
      const { phone, channel } = text
      texts.add({
        ...createText(line),
        phone,
        channel,
        body: unescapeXml(content!),
        direction: 'out',
        status: 'delivered',
      })
    }
    const word = text.body.trim().toUpperCase()
    if (text.channel !== 'sms') return
    if (/^(STOP|STOPALL|UNSUBSCRIBE|CANCEL|END|QUIT|REVOKE|OPTOUT)$/.test(word))
      texts.setOptedOut(line.account, text.phone, true)
    if (/^(START|YES|UNSTOP)$/.test(word)) texts.setOptedOut(line.account, text.phone, false)
  }
}

export function createSid(line: Pick<Line, 'provider'>): string {
  return line.provider === 'twilio'
    ? `SM${randomBytes(16).toString('hex')}`
    : `wamid.${randomBytes(27).toString('base64').replaceAll('/', '_')}`
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const unescapeXml = (text: string): string =>
  text.replace(/&(?:#(\d+)|(\w+));/g, (whole, number: string | undefined, name: string | undefined) =>
    number ? String.fromCodePoint(Number(number)) : (ENTITIES[name ?? ''] ?? whole),
  )
