import * as api from '../../../shared/delivery/restore.ts'
import { listThrottledDomains } from '../../../shared/delivery/sending.ts'
import { type Routes, serveAccount, servePublic } from '../../access/http/public.ts'
import { viewThrottledDomains } from '../deliverability/public.ts'
import { readUnsubscribeLink, resubscribe, unsubscribe } from './unsubscribe.ts'

// Unsubscribe routes. GETs never unsubscribe and never attribute (C3, A1).

export const messageRoutes: Routes = (app, deps) => {
  serveAccount(app, deps, listThrottledDomains, async ({ account }) => ({
    domains: await viewThrottledDomains(account, deps.now()),
  }))

  // RFC 8058: a POST without cookie or login. Its body is constant, so it is not read.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, body, done) => {
      body.resume()
      done(null)
    })
    scope.post<{ Params: { token: string } }>('/u/:token', async (request, reply) => {
      await unsubscribe(deps, request.params.token, 'one-click')
      return reply.code(200).send({ success: true })
    })
  })

  servePublic(app, deps, api.readUnsubscribe, ({ params, request }) =>
    readUnsubscribeLink(deps, params.token, request.headers['accept-language']),
  )

  servePublic(app, deps, api.confirmUnsubscribe, async ({ params }) => {
    const { storeName } = await unsubscribe(deps, params.token, 'unsubscribe page')
    return { storeName, isUnsubscribed: true as const }
  })

  servePublic(app, deps, api.undoUnsubscribe, async ({ params }) => {
    const { storeName } = await resubscribe(deps, params.token)
    return { storeName, isUnsubscribed: false as const }
  })
}
