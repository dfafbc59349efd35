import * as api from '../../shared/restore.ts'
import { listPausedReceivers } from '../../shared/sending.ts'
import { type Routes, serveAccount, servePublic } from '../http.ts'
import { languageOf } from '../preferences/rules.ts'
import { viewReceivers } from './receivers.ts'
import { readWayOut, resubscribe, unsubscribe } from './track.ts'

// Ways out, and who takes no mail. GETs never unsubscribe and never attribute on their own (C3, A1).

export const messageRoutes: Routes = (app, deps) => {
  serveAccount(app, deps, listPausedReceivers, async ({ account }) => ({
    receivers: await viewReceivers(account, deps.now()),
  }))

  // RFC 8058: a POST without cookie or login, body `List-Unsubscribe=One-Click`.
  app.post<{ Params: { token: string } }>('/u/:token', async (request, reply) => {
    await unsubscribe(deps, request.params.token, 'one-click')
    return reply.code(200).send({ success: true })
  })

  servePublic(app, deps, api.readUnsubscribe, async ({ params, request }) => {
    const { language, ...about } = await readWayOut(deps, params.token)
    return { ...about, language: language ?? languageOf(request.headers['accept-language']) }
  })

  servePublic(app, deps, api.confirmUnsubscribe, async ({ params }) => {
    const { storeName } = await unsubscribe(deps, params.token, 'unsubscribe page')
    return { storeName, isUnsubscribed: true as const }
  })

  servePublic(app, deps, api.undoUnsubscribe, async ({ params }) => {
    const { storeName } = await resubscribe(deps, params.token)
    return { storeName, isUnsubscribed: false as const }
  })
}
