import type { FastifyInstance } from 'fastify'
import type { Routes } from '../../access/http/public.ts'
import type { Deps } from '../../deps.ts'
import { takeMailEvents } from './mail-events.ts'

// Webhook of the mail provider, in a scope of its own so that only this route gets unparsed bodies.

export const mailEventRoutes: Routes = (app, deps) => {
  app.register(async (scope) => mailEventRoute(scope, deps))
}

function mailEventRoute(scope: FastifyInstance, deps: Pick<Deps, 'config' | 'db' | 'log' | 'now' | 'secrets'>): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 2_000_000 }, (_request, body, done) =>
    done(null, body),
  )
  scope.post('/api/webhooks/mail/:provider/:key', async (request) => {
    const rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    const called = request.params as { provider: string; key: string }
    await takeMailEvents(deps, called, { rawBody, headers: request.headers })
    return { received: true }
  })
}
