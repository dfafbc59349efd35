import net from 'node:net'

// Controls Firefox by Marionette, the protocol of its own tests and geckodriver: JSON over a socket, with a length
// before each message. It also runs scripts in the browser's own windows, which show permission prompts and
// notifications. runs scripts in the browser's own windows, which is where the question for a permission and a shown
// notification are.

type Params = Record<string, unknown>

interface PendingCommand {
  resolve: (value: unknown) => void
  reject: (error: Error) => void
}

export interface Marionette {
  send<Value>(command: string, params?: Params): Promise<Value>
  close(): void
}

export async function connectMarionette(port: number): Promise<Marionette> {
  const socket = net.connect(port, '127.0.0.1')
  const waiting = new Map<number, PendingCommand>()
  let last = 0
  const greeted = new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.on(
      'data',
      readMessages((message) => (Array.isArray(message) ? settle(waiting, message) : resolve())),
    )
  })
  socket.once('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('Firefox has ended.'))
  })
  await greeted
  return {
    send: <Value>(command: string, params: Params = {}) =>
      new Promise<Value>((resolve, reject) => {
        const id = ++last
        waiting.set(id, { resolve: resolve as (value: unknown) => void, reject })
        const text = JSON.stringify([0, id, command, params])
        socket.write(`${Buffer.byteLength(text)}:${text}`)
      }),
    close: () => socket.destroy(),
  }
}

/** Parses `12:{"a":"message"}`, received in any chunks. */
function readMessages(take: (message: unknown) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const colon = rest.indexOf(':')
      const length = Number(rest.subarray(0, colon))
      if (colon < 0 || rest.length < colon + 1 + length) return
      take(JSON.parse(rest.subarray(colon + 1, colon + 1 + length).toString()))
      rest = rest.subarray(colon + 1 + length)
    }
  }
}

function settle(waiting: Map<number, PendingCommand>, [, id, error, value]: unknown[]): void {
  const pending = waiting.get(id as number)
  waiting.delete(id as number)
  if (!error) {
    pending?.resolve(value)
    return
  }
  const { error: name, message } = error as { error: string; message: string }
  pending?.reject(new Error(`${name}: ${message}`))
}
