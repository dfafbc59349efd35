// A store that is away, slow, or heard but not understood: a switch for tests. `which` is matched against "METHOD /path?query".
import type { FastifyInstance, FastifyRequest } from 'fastify'

export type Connections = {
  /** Closes the connection without a word, and nothing is done. */
  refuse: (which?: RegExp) => void
  /** Lets requests wait until `restore()`, and then does what they ask. */
  hold: (which?: RegExp) => void
  delay: (ms: number, which?: RegExp) => void
  /** How many requests wait now. */
  waiting: () => number
  /** Does what is asked and closes the connection instead of answering. */
  loseAnswers: (which?: RegExp) => void
  /** As usual from now on. */
  restore: () => void
}
type Trouble = { kind: 'refuse' | 'loseAnswers' | 'wait'; which: RegExp; wait: () => Promise<unknown> }

export function switchConnections(app: FastifyInstance): Connections {
  let trouble: Trouble | null = null
  let release: () => void = () => undefined
  let waiting = 0
  const meets = (request: FastifyRequest) =>
    trouble?.which.test(`${request.method} ${request.raw.url ?? ''}`) ? trouble : null
  app.addHook('onRequest', async (request, reply) => {
    const met = meets(request)
    if (met?.kind === 'wait') {
      waiting += 1
      await met.wait()
      waiting -= 1
    }
    if (met?.kind !== 'refuse') return
    reply.hijack()
    request.raw.socket.destroy()
  })
  app.addHook('onSend', async (request, reply) => {
    if (meets(request)?.kind !== 'loseAnswers') return
    reply.hijack()
    request.raw.socket.destroy()
  })
  const begin = (kind: Trouble['kind'], which = /^/, wait: Trouble['wait'] = async () => undefined) => {
    release()
    trouble = { kind, which, wait }
  }
  return {
    refuse: (which) => begin('refuse', which),
    loseAnswers: (which) => begin('loseAnswers', which),
    delay: (ms, which) => begin('wait', which, () => new Promise((resolve) => setTimeout(resolve, ms))),
    waiting: () => waiting,
    hold: (which) => {
      const gate = Promise.withResolvers<void>()
      begin('wait', which, () => gate.promise)
      release = gate.resolve
    },
    restore: () => {
      release()
      trouble = null
    },
  }
}
