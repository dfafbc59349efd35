import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import Fastify from 'fastify'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { Server } from 'socket.io'
import { afterAll, afterEach, beforeEach, expect } from 'vitest'
import { type AxeOptions, axeSource, findViolations } from '../e2e/axe.ts'
import { openBrowser, persistentContexts } from '../e2e/browser.ts'
import { findScreen } from '../shared/screens.ts'
import { LIVE_PATH, type LivePart } from '../shared/workspace/live.ts'
import type { NotificationEvent } from '../shared/workspace/notification-calls.ts'
import { Api } from './api.ts'
import demo from './fixtures/demo.json' with { type: 'json' }

// The built app in a real browser without Recoup's server: `Api` replies from fixtures. For everything a screen does by
// itself: states, texts, validation, keyboard, and requests.

const AXE_PATH = '/axe.js'
const PAGES = path.resolve('dist/web')
export const WIDE = { width: 1280, height: 900 }
export const PHONE = { width: 360, height: 800 }

/** When the fixtures were recorded; the screens' current time on opening. */
export const NOW = new Date(demo.now)
/** Ids of the recorded cart, customer, flow and campaign. */
export const ids = demo.ids as { id: string; cartId: string; customerId: string; flowId: string; campaignId: string }
export const token = 'a-token'

/** Sets the page's clock to `NOW`. */
const CLOCK = `<script>{const R=Date,s=${NOW.getTime()}-R.now();globalThis.Date=new Proxy(R,{construct:(_,a,t)=>Reflect.construct(R,a.length?a:[R.now()+s],t),apply:()=>new R(R.now()+s).toString(),get:(t,k)=>k==='now'?()=>R.now()+s:Reflect.get(t,k)})}</script>`

const CLEAR = 'localStorage.clear();sessionStorage.clear()'
const BLANK = `<!doctype html><title>blank</title><script>${CLEAR}</script>`

interface Options {
  /** The signed-in user; default: `owner` of the demo's account. */
  as?: 'owner' | 'visitor' | undefined
  viewport?: { width: number; height: number }
  /** Storage entries added to those of a signed-in owner; null removes one. */
  storage?: Record<string, string | null>
}

export interface Screens {
  api: Api
  page: Page
  /** Origin of the app. */
  url: string
  /** Opens a path in a clean browser and waits for its first heading. */
  open(path: string, options?: Options): Promise<Page>
  /** The same without waiting. */
  go(path: string, options?: Options): Promise<Page>
  /** Waits until no request, picture or animation is pending. */
  waitUntilSettled(options?: { isLoading?: boolean }): Promise<void>
  /** Axe violations in the page or a part of it. */
  findViolations(within?: string | AxeOptions): Promise<unknown[]>
  /** Sends a live event. */
  live: {
    notify(event: NotificationEvent): void
    changed(...parts: LivePart[]): void
    /** Sockets that joined a store; a new one would miss events. */
    connections(): number
    cut(): void
    drop(): void
  }
  /** Opens another browser context, closed when the test ends. */
  openAnotherPage(options?: BrowserContextOptions): Promise<Page>
}

async function newPage(options: BrowserContextOptions = {}): Promise<Page> {
  const usual = { viewport: WIDE, timezoneId: 'UTC', locale: 'en-US' }
  const context = await (await openBrowser()).newContext({ ...usual, ...options })
  return context.newPage()
}

// One server and page for all test files of a worker, so the browser keeps the compiled app. `setup.ts` loads this
// before the first file.
const api = new Api()
const server = await serve(api)
const page = await newPage()
persistentContexts.add(page.context())
await page.goto(`${server.url}/blank`)

/** Storage, replies and recorded calls are reset for each test. */
export function createScreens(): Screens {
  const app = { api, page, url: server.url } as Screens
  const opened: BrowserContext[] = []

  beforeEach(() => api.reset())
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') console.error(await describePage(page))
    for (const context of opened.splice(0)) await context.close()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    page.removeAllListeners()
    await page.goto(`${server.url}/blank`)
    // A connection whose end is noticed late would be mistaken for the next test's.
    server.dropTransports()
    if (page.viewportSize()?.width !== WIDE.width || page.viewportSize()?.height !== WIDE.height)
      await page.setViewportSize(WIDE)
    expect(api.faults, 'what the browser asked').toEqual([])
  })
  afterAll(async () => {
    await page.context().clearPermissions()
    server.closeConnections()
  })

  app.go = async (to, { as = 'owner', viewport, storage } = {}) => {
    if (viewport) await page.setViewportSize(viewport)
    const url = server.url + to.replace(/:(\w+)/g, (whole, name: string) => ids[name as keyof typeof ids] ?? whole)
    // Changing only the hash would keep the page.
    if (url.includes('#') && isSamePage(url, page.url())) await page.goto(`${server.url}/blank`)
    server.fillStorage({ ...(as === 'owner' ? { ...demo.storage, token } : {}), ...storage })
    await page.goto(url)
    return page
  }
  app.open = async (to, options) => {
    const page = await app.go(to, options)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    return page
  }
  app.waitUntilSettled = ({ isLoading = false } = {}) => waitUntilSettled(page, app.api, isLoading)
  app.findViolations = (options) =>
    findViolations(page, {
      ...(typeof options === 'string' ? { within: options } : options),
      servedAt: AXE_PATH,
    })
  app.live = {
    notify: (event) => void server.io.emit('notification', event),
    changed: (...changed) => void server.io.emit('store-changed', { storeId: demo.storeId, changed }),
    connections: server.joined,
    cut: () => void server.io.disconnectSockets(true),
    /** Simulates a lost network; the browser reconnects. */
    drop: () => server.dropTransports(),
  }
  app.openAnotherPage = async (options) => {
    const anotherPage = await newPage(options)
    opened.push(anotherPage.context())
    return anotherPage
  }
  return app
}

const isSamePage = (a: string, b: string) => a.split('#')[0] === b.split('#')[0]

/** Serves the build, the API and the live connection at its own address. */
async function serve(api: Api) {
  const app = Fastify({ forceCloseConnections: true })
  api.serve(app)
  app.get('/blank', (_request, reply) => reply.type('text/html').send(BLANK))
  app.get(AXE_PATH, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=31536000, immutable').type('text/javascript').send(axeSource),
  )
  const readPage = (name: string) => readFileSync(path.join(PAGES, name), 'utf8').replace('<head>', `<head>${CLOCK}`)
  const [index, shopper] = [readPage('index.html'), readPage('shopper.html')]
  let storage: Record<string, string | null> | undefined
  /** The page opened after `fillStorage` has the storage from its first script on, without an earlier page. */
  const nextPage = (url: string) => {
    const html = findScreen(url.split('?', 1)[0]!)?.isForShoppers ? shopper : index
    if (!storage) return html
    const entries = JSON.stringify(Object.entries(storage).filter(([, value]) => value !== null))
    storage = undefined
    const fill = `${CLEAR};for(const[k,v]of ${entries.replaceAll('<', '\\u003c')})localStorage.setItem(k,v)`
    return html.replace('<head>', () => `<head><script>${fill}</script>`)
  }
  app.register(fastifyStatic, {
    root: PAGES,
    wildcard: false,
    globIgnore: ['**/*.{br,gz,html}'],
    setHeaders: (response) => response.header('cache-control', 'public, max-age=31536000, immutable'),
  })
  app.setNotFoundHandler((request, reply) =>
    request.url.startsWith('/api/')
      ? reply.code(404).send({ error: 'Not found', code: 'not_found', requestId: 'test' })
      : reply.header('cache-control', 'no-store').type('text/html').send(nextPage(request.url)),
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
  const io = new Server(app.server, { path: LIVE_PATH, serveClient: false })
  const transports = new Set<{ close(discard: boolean): void }>()
  io.engine.on('connection', (transport) => {
    transports.add(transport)
    transport.once('close', () => transports.delete(transport))
  })
  const joined = new Set<string>()
  io.on('connection', (socket) => {
    socket.on('join-platform', (_platform, answer) => {
      joined.add(socket.id)
      answer?.({ storeId: demo.storeId })
    })
    socket.once('disconnect', () => joined.delete(socket.id))
    socket.on('mark-notifications-read', (_marked, answer) => answer?.({ success: true }))
  })
  const { port } = app.server.address() as AddressInfo
  return {
    io,
    joined: () => joined.size,
    fillStorage(entries: Record<string, string | null>) {
      storage = entries
    },
    dropTransports() {
      for (const transport of transports) transport.close(true)
    },
    url: `http://127.0.0.1:${port}`,
    closeConnections() {
      for (const transport of transports) transport.close(true)
      app.server.closeAllConnections()
    },
  }
}

async function waitUntilSettled(page: Page, api: Api, isLoading: boolean): Promise<void> {
  const options = { polling: 25, timeout: 60_000 }
  do {
    if (!isLoading) await expect.poll(() => api.waiting, { timeout: 60_000, interval: 5 }).toBe(0)
    await page.waitForFunction(isQuiet, isLoading, options)
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  } while (!isLoading && api.waiting > 0)
}

const isQuiet = (isLoading: boolean) => {
  const isMoving = document
    .getAnimations()
    .some(({ playState, effect }) => playState === 'running' && effect?.getComputedTiming().iterations !== Infinity)
  return (
    !document.querySelector('.route-transition, .shell[data-complete=false]') &&
    (isLoading || !document.querySelector('[role=status][aria-label=Loading], [aria-busy=true]')) &&
    !isMoving &&
    ![...document.images].some((image) => image.loading !== 'lazy' && !image.complete) &&
    document.fonts.status === 'loaded'
  )
}

async function describePage(page: Page): Promise<string> {
  const text = await page
    .locator('body')
    .innerText({ timeout: 2_000 })
    .catch((error: Error) => `(cannot be read: ${error.message})`)
  return `${page.url()} showed:\n${text.slice(0, 1_500)}`
}
