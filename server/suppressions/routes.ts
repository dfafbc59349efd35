import * as api from '../../shared/suppressions.ts'
import { type Routes, serveAccount } from '../http.ts'
import { downloadList, prepareListExport } from './export.ts'
import { addEntry, importEntries, listEntries, removeEntry } from './suppressions.ts'

export const suppressionRoutes: Routes = (app, deps) => {
  serveAccount(app, deps, api.listSuppressions, ({ account, query }) => listEntries(deps, account, query))

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

  serveAccount(app, deps, api.exportSuppressions, ({ session, query }) => prepareListExport(deps, session, query))

  app.get<{ Params: { ticket: string }; Querystring: object }>(
    '/api/suppressions/export/:ticket',
    async ({ params, query }, reply) => {
      const filter = api.exportSuppressions.query.parse(query)
      const { fileName, stream } = await downloadList(deps, params.ticket, filter)
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="${fileName}"`)
        .header('cache-control', 'no-store')
        .header('referrer-policy', 'no-referrer')
        .send(stream)
    },
  )
}
