import { Language } from '../../../shared/delivery/preferences.ts'
import { toKeptLanguage } from '../../../shared/workspace/kept.ts'
import * as api from '../../../shared/workspace/privacy.ts'
import { readPrivacyDocument } from '../../../shared/workspace/privacy-documents.ts'
import { countRetention, readRetention, saveRetention } from '../../../shared/workspace/retention.ts'
import { type Routes, serveAccount, serveDownload, serveStore } from '../../access/http/public.ts'
import { AppError } from '../../core/common/public.ts'
import { detectLanguage } from '../../delivery/preferences/public.ts'
import { privacyDocument } from './documents.ts'
import { eraseDataSubject } from './erase.ts'
import { dataSubjectDownload, prepareDataSubjectExport } from './export.ts'
import { describeDataSubject, readErasure } from './find.ts'
import { countExpired, setRetention, viewRetention } from './retention.ts'
import { renderRetentionPage } from './retention-page.ts'

export const privacyRoutes: Routes = (app, deps) => {
  serveAccount(app, deps, api.readDataSubject, async ({ account, params }) => ({
    person: await describeDataSubject(deps, account, params.address),
  }))

  serveAccount(app, deps, api.eraseDataSubject, async ({ account, session, params, body, reply }) => {
    const erasure = await eraseDataSubject(deps, { account, session }, { ...params, ...body })
    reply.code(202)
    return { erasure }
  })

  serveAccount(app, deps, api.exportDataSubject, ({ account, session, params, query }) =>
    prepareDataSubjectExport(deps, { account, session }, { ...params, ...query }),
  )

  serveDownload(app, deps, dataSubjectDownload)

  serveAccount(app, deps, api.readErasure, async ({ account, params }) => ({
    erasure: await readErasure(account, params.erasureId),
  }))

  serveStore(app, deps, readPrivacyDocument, ({ store, params }) => privacyDocument(deps, store, params.name))

  app.get('/what-is-kept/:key', async (request, reply) => {
    const { key } = request.params as { key: string }
    const requested = Language.safeParse((request.query as { lang?: unknown }).lang)
    const language = toKeptLanguage(
      requested.success ? requested.data : detectLanguage(request.headers['accept-language']),
    )
    const page = key.length <= 100 ? await renderRetentionPage(deps, key, language) : null
    if (page === null) throw new AppError('not_found', 'This page does not exist.')
    return reply
      .type('text/html; charset=utf-8')
      .headers({ 'cache-control': 'no-cache', vary: 'accept-language', 'x-robots-tag': 'noindex' })
      .send(page)
  })

  serveStore(app, deps, readRetention, ({ store }) => viewRetention(store))

  serveStore(app, deps, countRetention, ({ store, query }) => countExpired(deps, store, query.days))

  serveStore(app, deps, saveRetention, ({ store, body }) => setRetention(deps, store, body.days))
}
