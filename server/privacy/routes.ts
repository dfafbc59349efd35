import * as api from '../../shared/privacy.ts'
import { countRetention, readRetention, saveRetention } from '../../shared/retention.ts'
import { type Routes, serveAccount, serveDownload, serveStore } from '../http/http.ts'
import { eraseDataSubject } from './erase.ts'
import { dataSubjectDownload, prepareDataSubjectExport } from './export.ts'
import { describeDataSubject, readErasure } from './find.ts'
import { countExpired, setRetention, viewRetention } from './retention.ts'

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

  serveStore(app, deps, readRetention, ({ store }) => viewRetention(store))

  serveStore(app, deps, countRetention, ({ store, query }) => countExpired(deps, store, query.days))

  serveStore(app, deps, saveRetention, ({ store, body }) => setRetention(deps, store, body.days))
}
