import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'
import type { Routes } from '../../access/http/http.ts'
import { takeEvent } from './events.ts'

// What Stripe delivers to us. In a scope of its own, so that no other route gets its bodies unparsed.

/** Stripe's events are far smaller. */
const MOST_BYTES = 512_000

export const stripeHookRoutes: Routes = (app, deps) => {
  app.register(async (scope) => hookRoute(scope, deps))
}

/** Raw bytes: the signature is over them. */
function hookRoute(scope: FastifyInstance, deps: Deps): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MOST_BYTES }, (_request, body, done) =>
    done(null, body),
  )
  scope.post('/api/webhooks/stripe', async (request) => {
    const payload = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    await takeEvent(deps, { payload, signature: String(request.headers['stripe-signature'] ?? '') })
    return { received: true }
  })
}
