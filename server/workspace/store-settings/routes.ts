import * as api from '../../../shared/access/stores.ts'
import * as sending from '../../../shared/delivery/sending.ts'
import { previewBrand } from '../../../shared/workspace/brand-calls.ts'
import { type Routes, serveAccount, serveStore } from '../../access/http/public.ts'
import { listStores } from '../../access/stores/public.ts'
import { readHealth, syncNow } from '../../carts/sync/public.ts'
import { previewDesign } from '../../delivery/preview/preview.ts'
import { connectStore } from './connect.ts'
import { examineStore } from './doctor.ts'
import { pauseSending, resumeSending, viewPause } from './pause.ts'
import { replaceKeys } from './replace-keys.ts'
import { checkSenderDomain, sendTestMail } from './sending.ts'
import { readSendingStates } from './sending-states.ts'
import { saveSettings } from './settings.ts'
import { currentStore, disconnectStore, switchStore } from './stores.ts'
import { endedStore, viewStore } from './view.ts'

// Store endpoints.

export const storeRoutes: Routes = (app, deps) => {
  serveAccount(app, deps, api.connectStore, async ({ session, body }) => {
    const { store, warnings } = await connectStore(deps, session, body)
    const message = `${store.name || store.url} is connected.`
    return {
      status: 'success' as const,
      success: true as const,
      message,
      warnings,
      store: await viewStore(deps, store),
    }
  })

  serveAccount(app, deps, api.checkConnection, async ({ session, account, query }) => {
    const store = await currentStore(deps.db, session, query)
    if (!store) {
      const ended = endedStore(await listStores(account), deps.now())
      return { hasConnection: false, platform: null, store_url: null, store: null, ...(ended && { ended }) }
    }
    const { platform, url } = store
    return { hasConnection: true, platform, store_url: url, store: await viewStore(deps, store) }
  })

  serveStore(app, deps, api.disconnectStore, async ({ store }) => {
    const cancelled = await disconnectStore(deps, store)
    const message = 'The store is disconnected. Its data is deleted in 30 days unless you connect it again.'
    return { success: true as const, message, cancelled }
  })

  serveStore(app, deps, api.replaceKeys, async ({ store, body }) => {
    const replaced = await replaceKeys(deps, store, body)
    const message = `The keys of ${replaced.store.name || replaced.store.url} are replaced.`
    return {
      success: true as const,
      message,
      warnings: replaced.warnings,
      store: await viewStore(deps, replaced.store),
    }
  })

  serveAccount(app, deps, api.switchStore, async ({ account, session, body }) => {
    const store = await switchStore(account, session, body.storeId)
    return { success: true as const, store: await viewStore(deps, store) }
  })

  serveStore(app, deps, api.syncStore, ({ store }) => syncNow(deps, store))

  serveStore(app, deps, api.storeHealth, ({ store }) => readHealth(store, deps.now()))

  serveStore(app, deps, api.saveStoreSettings, async ({ store, body }) => ({
    store: await viewStore(deps, await saveSettings(store, body)),
  }))

  serveStore(app, deps, api.examineStore, ({ store }) => examineStore(deps, store))

  serveStore(app, deps, sending.sendTestMail, (call) => sendTestMail(deps, call))

  serveStore(app, deps, sending.readSendingStates, async (call) => ({
    sections: await readSendingStates(deps, call),
  }))

  serveStore(app, deps, sending.readSendingPause, ({ store }) => viewPause(store))

  serveStore(app, deps, sending.pauseSending, ({ session, store }) => pauseSending(deps, session, store))

  serveStore(app, deps, sending.resumeSending, ({ store }) => resumeSending(deps, store))

  serveStore(app, deps, sending.checkSenderDomain, ({ store, query }) => checkSenderDomain(deps, store, query.selector))

  serveStore(app, deps, previewBrand, ({ store, body, request }) =>
    previewDesign({ deps, store, signal: request.signal }, body),
  )
}
