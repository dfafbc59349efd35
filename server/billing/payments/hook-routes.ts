import type { FastifyInstance } from 'fastify'
import type { Routes } from '../../access/http/public.ts'
import type { Deps } from '../../deps.ts'
import { receiveEvent } from './events.ts'

// Endpoint for Stripe's webhooks, in its own scope, so that no other route gets unparsed bodies.

/** Far above the size of Stripe's events. */
const MAX_BYTES = 512_000

export const stripeHookRoutes: Routes = (app, deps) => {
  app.register(async (scope) => hookRoute(scope, deps))
}

/** Keeps the raw bytes, because the signature covers them. */
function hookRoute(
  scope: FastifyInstance,
  deps: Pick<Deps, 'config' | 'db' | 'jobs' | 'log' | 'now' | 'stripe'>,
): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BYTES }, (_request, body, done) =>
    done(null, body),
  )
  scope.post('/api/webhooks/stripe', async (request) => {
    const payload = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    await receiveEvent(deps, { payload, signature: String(request.headers['stripe-signature'] ?? '') })
    return { received: true }
  })
}
