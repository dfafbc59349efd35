import type { FastifyInstance } from 'fastify'
import type { Routes } from '../../access/http/public.ts'
import type { Deps } from '../../deps.ts'
import { platformNames } from '../../platforms/registry/public.ts'
import { receiveDelivery } from './deliveries.ts'

// Endpoint for webhook deliveries, in its own scope, so that no other route gets unparsed bodies.

export const webhookRoutes: Routes = (app, deps) => {
  app.register(async (scope) => webhookRoute(scope, deps))
}

/** Keeps the raw bytes of any content type, because the signature covers them. */
function webhookRoute(scope: FastifyInstance, deps: Pick<Deps, 'db' | 'jobs' | 'now' | 'secrets'>): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 2_000_000 }, (_request, body, done) =>
    done(null, body),
  )
  for (const platform of platformNames) {
    scope.post(`/api/webhooks/${platform}/:storeKey`, async (request) => {
      const { storeKey } = request.params as { storeKey: string }
      const rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      await receiveDelivery(deps, { platform, storeKey }, { rawBody, headers: request.headers })
      return { received: true }
    })
  }
}
