import net from 'node:net'

// Sends prepared requests over a few keep-alive connections from a separate process (see helpers.ts): as fast as
// responses arrive, or at a given rate, each request timed from its scheduled start.

interface Order {
  port: number
  connections: number
  requests: string[]
  /** null: as fast as possible. */
  perSecond: number | null
}

process.on('message', async (order: Order) => {
  const startedAt = performance.now()
  const latencies: number[] = []
  const answers: Record<string, number> = {}
  const queue = order.requests.values()
  let sent = 0
  const next = () => {
    const { value } = queue.next()
    if (value === undefined) return null
    const due = order.perSecond === null ? null : startedAt + (sent++ * 1_000) / order.perSecond
    return { text: value, due }
  }
  await Promise.all(
    Array.from({ length: order.connections }, () => sendOnConnection(order.port, next, latencies, answers)),
  )
  process.send!({ latencies, answers, seconds: (performance.now() - startedAt) / 1_000 })
})
process.on('disconnect', () => process.exit(0))

function sendOnConnection(
  port: number,
  next: () => { text: string; due: number | null } | null,
  latencies: number[],
  answers: Record<string, number>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    let startedAt = 0
    let buffer = ''
    const go = () => {
      const request = next()
      if (!request) {
        socket.end()
        return resolve()
      }
      const send = () => {
        startedAt = request.due ?? performance.now()
        socket.write(request.text)
      }
      const waitMs = request.due === null ? 0 : request.due - performance.now()
      if (waitMs > 1) setTimeout(send, waitMs)
      else send()
    }
    socket.on('connect', go)
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      buffer += chunk.toString('latin1')
      const head = buffer.indexOf('\r\n\r\n')
      if (head < 0) return
      const length = Number(/content-length: (\d+)/i.exec(buffer.slice(0, head))?.[1] ?? 0)
      if (buffer.length < head + 4 + length) return
      const status = buffer.slice(9, 12)
      answers[status] = (answers[status] ?? 0) + 1
      latencies.push(performance.now() - startedAt)
      buffer = ''
      go()
    })
  })
}
