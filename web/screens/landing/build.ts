import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Liquid } from 'liquidjs'
import type { Plugin } from 'vite'
import { renderLanding } from './render.tsx'
import { shotFiles } from './shots.ts'

const resolveHere = (file: string) => fileURLToPath(new URL(file, import.meta.url))
const require = createRequire(import.meta.url)
const rolesCss = readFileSync(resolveHere('../../core/theme/roles.css'), 'utf8')

/** Every file the page needs, by name. It shares the app's fonts, so they are cached for the app. */
export const files: Record<string, string> = {
  ...Object.fromEntries(shotFiles.map((name) => [name, resolveHere(`./pictures/${name}`)])),
  ...Object.fromEntries(
    [...rolesCss.matchAll(/url\('([^']+)'\)/g)].map(([, file]) => [path.basename(file!), require.resolve(file!)]),
  ),
}

/** The same page for `/`, where an inline script first detects signed-in visitors. */
const addFrontDoor = (page: string) =>
  page.replace(
    '<meta charset="utf-8">',
    (first) => `${first}\n${readFileSync(resolveHere('./front-door.html'), 'utf8')}`,
  )

/**
 * Emits `landing.html`, the Liquid template, its variant for `/`, and the loader page. `npm run dev` shows it filled
 * in.
 */
export function createLandingPlugin(): Plugin {
  let script = ''
  const pictures: Record<string, string> = {}
  let isBuild = false
  return {
    name: 'recoup:landing',
    configResolved: ({ command }) => {
      isBuild = command === 'build'
    },
    buildStart() {
      if (!isBuild) return
      script = this.emitFile({ type: 'chunk', id: resolveHere('./landing.ts'), name: 'landing' })
      for (const [name, file] of Object.entries(files)) {
        pictures[name] = this.emitFile({ type: 'asset', name, source: readFileSync(file), originalFileName: file })
      }
    },
    generateBundle() {
      const getAddress = (reference: string) => `/${this.getFileName(reference)}`
      const urls = Object.fromEntries(
        Object.entries(pictures).map(([name, reference]) => [name, getAddress(reference)]),
      )
      const source = renderLanding({ urls, script: getAddress(script) })
      this.emitFile({ type: 'asset', fileName: 'landing.html', source })
      this.emitFile({ type: 'asset', fileName: 'landing-front.html', source: addFrontDoor(source) })
      this.emitFile({ type: 'asset', fileName: 'landing-gate.html', source: readFileSync(resolveHere('./gate.html')) })
    },
    configureServer(server) {
      const urls = Object.fromEntries(Object.entries(files).map(([name, file]) => [name, `/@fs${file}`]))
      server.middlewares.use('/landing.html', (_request, response) => {
        const template = renderLanding({ urls, script: '/screens/landing/landing.ts' })
        const billing = { isSold: true, isTestBilling: true, hasCredits: true }
        const instance = { origin: '', company: 'Recoup', support: 'support@localhost', hasDemo: true, ...billing }
        response.setHeader('content-type', 'text/html; charset=utf-8')
        response.end(new Liquid().parseAndRenderSync(template, instance))
      })
    },
  }
}
