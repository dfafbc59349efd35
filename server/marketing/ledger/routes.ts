import * as api from '../../../shared/marketing/ledger.ts'
import { prepareDownload, type Routes, serveDownload, serveStore } from '../../access/http/public.ts'
import { ledgerDownload, prepareReport, refusedDownload } from './export.ts'
import { cancelConsents, confirmConsents, previewConsents, uploadConsents, viewImports } from './import.ts'
import { keepImport, undoImport } from './import-review.ts'
import { searchLedger } from './ledger.ts'
import { listSources } from './sql.ts'

export const ledgerRoutes: Routes = (app, deps) => {
  // Passes the stream on unread, so nothing is read for a user who may not upload.
  app.addContentTypeParser('text/csv', (_request, stream, done) => done(null, stream))

  serveStore(app, deps, api.searchLedger, async ({ store, query }) => ({
    ...(await searchLedger(deps, store, query)),
    sources: await listSources(store),
  }))

  serveStore(app, deps, api.exportLedger, ({ store, session, query }) =>
    prepareDownload(deps, ledgerDownload, { session, storeId: store.storeId, what: query }),
  )

  serveStore(app, deps, api.listConsentImports, async ({ store }) => ({ imports: await viewImports(store) }))

  serveStore(app, deps, api.uploadConsents, ({ store, session, query, body }) =>
    uploadConsents(deps, session, store, { body, fileName: query.fileName }),
  )

  serveStore(app, deps, api.previewConsents, ({ store, session, params, body }) =>
    previewConsents(deps, session, store, { id: params.importId, mapping: body.mapping }),
  )

  serveStore(app, deps, api.confirmConsents, async ({ store, session, params, body }) => ({
    import: await confirmConsents(deps, session, store, { id: params.importId, ...body }),
  }))

  serveStore(app, deps, api.cancelConsents, async ({ store, params }) => {
    await cancelConsents(store, params.importId)
    return { success: true as const }
  })

  serveStore(app, deps, api.keepConsents, async ({ store, session, params }) => ({
    import: await keepImport(deps, session, store, params.importId),
  }))

  serveStore(app, deps, api.undoConsents, async ({ store, session, params }) => ({
    import: await undoImport(deps, session, store, params.importId),
  }))

  serveStore(app, deps, api.reportConsents, ({ store, session, params }) =>
    prepareReport(deps, session, store, params.importId),
  )

  serveDownload(app, deps, ledgerDownload)
  serveDownload(app, deps, refusedDownload)
}
