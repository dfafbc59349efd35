import pg from 'pg'

const FIRST_DELAY_MS = 1_000
const LONGEST_DELAY_MS = 30_000
const ANSWER_MS = 10_000

export interface Listener {
  /** Detects a dead connection by a query and reopens it. */
  check(): Promise<void>
  stop(): Promise<void>
}

/**
 * Listens on a dedicated connection and reopens it when it breaks. `onOpen` runs after each open: earlier notifications
 * may have been missed.
 */
export function listen(url: string, onPayload: (words: string) => void, onOpen: () => void): Listener {
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let delayMs = FIRST_DELAY_MS
  let isStopped = false

  const open = async () => {
    const next = new pg.Client({
      connectionString: url,
      application_name: 'recoup-live',
      keepAlive: true,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    })
    client = next
    const onLost = () => lose(next)
    next.on('error', onLost).on('end', onLost)
    next.on('notification', ({ payload }) => onPayload(payload ?? ''))
    try {
      await next.connect()
      await next.query('listen recoup_live')
    } catch {
      return lose(next)
    }
    if (client !== next) return
    delayMs = FIRST_DELAY_MS
    onOpen()
  }

  const lose = (lost: pg.Client) => {
    if (client !== lost) return
    client = undefined
    lost.end().catch(() => {})
    if (isStopped) return
    // Jitter, so that processes do not reconnect at the same moment.
    timer = setTimeout(() => void open(), delayMs * (0.5 + Math.random() / 2))
    delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS)
  }

  void open()
  return {
    async check() {
      const asked = client
      await asked?.query('select 1').catch(() => lose(asked))
    },
    async stop() {
      isStopped = true
      clearTimeout(timer)
      const last = client
      client = undefined
      await last?.end().catch(() => {})
    },
  }
}
