import * as api from '../../shared/ledger.ts'
import { type Routes, serveStore } from '../http.ts'
import { download, prepareDownload, prepareReport } from './export.ts'
import { cancelConsents, confirmConsents, importsOf, previewConsents, uploadConsents } from './import.ts'
import { searchLedger } from './ledger.ts'
import { sourcesOf } from './sql.ts'

export const ledgerRoutes: Routes = (app, deps) => {
  // Handed on as it comes: nothing is read for whoever may not upload.
  app.addContentTypeParser('text/csv', (_request, stream, done) => done(null, stream))

  serveStore(app, deps, api.searchLedger, async ({ store, query }) => ({
    ...(await searchLedger(deps, store, query)),
    sources: await sourcesOf(store),
  }))

  serveStore(app, deps, api.exportLedger, ({ store, session, query }) =>
    prepareDownload(deps, session, store.storeId, { filter: query }),
  )

  serveStore(app, deps, api.listConsentImports, async ({ store }) => ({ imports: await importsOf(store) }))

  serveStore(app, deps, api.uploadConsents, ({ store, session, query, body }) =>
    uploadConsents(deps, session, store, { body, fileName: query.fileName }),
  )

  serveStore(app, deps, api.previewConsents, ({ store, params, body }) =>
    previewConsents(store, params.importId, body.mapping),
  )

  serveStore(app, deps, api.confirmConsents, async ({ store, session, params, body }) => ({
    import: await confirmConsents(deps, session, store, { id: params.importId, ...body }),
  }))

  serveStore(app, deps, api.cancelConsents, async ({ store, params }) => {
    await cancelConsents(store, params.importId)
    return { success: true as const }
  })

  serveStore(app, deps, api.reportConsents, ({ store, session, params }) =>
    prepareReport(deps, session, store, params.importId),
  )

  app.get<{ Querystring: { ticket?: string } }>('/api/consent/download', async ({ query }, reply) => {
    const { fileName, stream } = await download(deps, String(query.ticket ?? ''))
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="${fileName}"`)
      .header('cache-control', 'no-store')
      .header('referrer-policy', 'no-referrer')
      .send(stream)
  })
}
