import { fileURLToPath } from 'node:url'
import { build, type Plugin, type Rolldown } from 'vite'
import { findScreen } from '../shared/screens.ts'

const WEB = fileURLToPath(new URL('../web', import.meta.url))
const PAGE = 'shopper.html'

/**
 * Builds the shopper's pages beside the app, in a build of their own: in the same one they would share files with the
 * app and load ten times their size. `npm run dev` serves them at their addresses.
 */
export function shopperPages({ alias }: { alias: { find: RegExp; replacement: string }[] }): Plugin {
  return {
    name: 'recoup:shopper-pages',
    async generateBundle() {
      const built = (await build({
        configFile: false,
        root: WEB,
        logLevel: 'warn',
        resolve: { alias },
        build: { write: false, modulePreload: false, rolldownOptions: { input: `${WEB}/${PAGE}` } },
      })) as Rolldown.RolldownOutput
      for (const file of built.output) {
        // Fonts are files of the app already.
        if (file.fileName.endsWith('.woff2')) continue
        const source = file.type === 'chunk' ? file.code : file.source
        this.emitFile({ type: 'asset', fileName: file.fileName, source })
      }
    },
    configureServer(server) {
      server.middlewares.use((request, _response, next) => {
        const [path = '', query] = (request.url ?? '').split('?', 2)
        if (request.method === 'GET' && findScreen(path)?.isForShoppers)
          request.url = `/${PAGE}${query ? `?${query}` : ''}`
        next()
      })
    },
  }
}
