import * as api from '../../../shared/shoppers/suppressions.ts'
import { prepareDownload, type Routes, serveAccount, serveDownload } from '../../access/http/public.ts'
import { suppressionsDownload } from './export.ts'
import { addEntry, importEntries, listDoubtful, listEntries, removeEntry } from './suppressions.ts'

export const suppressionRoutes: Routes = (app, deps) => {
  serveAccount(app, deps, api.listSuppressions, ({ account, query }) => listEntries(deps, account, query))

  serveAccount(app, deps, api.listDoubtfulSuppressions, async ({ account }) => ({
    entries: await listDoubtful(account),
  }))

  serveAccount(app, deps, api.addSuppression, ({ account, session, body }) =>
    addEntry(deps, { account, session }, body),
  )

  serveAccount(app, deps, api.removeSuppression, async ({ account, session, params }) => {
    await removeEntry(deps, { account, session }, params.suppressionId)
    return { success: true as const }
  })

  serveAccount(app, deps, api.importSuppressions, ({ account, session, body }) =>
    importEntries(deps, { account, session }, body),
  )

  serveAccount(app, deps, api.exportSuppressions, ({ session, query }) =>
    prepareDownload(deps, suppressionsDownload, { session, what: query }),
  )

  serveDownload(app, deps, suppressionsDownload)
}
