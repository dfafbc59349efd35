import { aSetup, SOME_STATS, withKeys } from '../push/api.ts'
import { answers, hangs, isViewer, NO_STORE, offers, refuses, type State, says, waits } from './steps.ts'

// The screens of web push: without a store, on their way, not to be had, to a viewer, where no worker can be.

const PATHS = ['/push-notifications', '/push-setup'] as const
const setupIs = (setup: object) => answers('push-notifications/setup', setup)
const STATS = answers('push-notifications/store-stats', { success: true, message: '', stats: SOME_STATS })

export const ofPush: State[] = PATHS.flatMap((path): State[] => [
  {
    name: `${path} without a store`,
    of: 'owner',
    path,
    given: [NO_STORE],
    steps: [says('No store is connected yet')],
  },
  {
    name: `${path} on its way`,
    of: 'owner',
    path,
    isLoading: true,
    given: [hangs('push-notifications/setup')],
    steps: [waits],
  },
  {
    name: `${path} not to be had`,
    of: 'owner',
    path,
    given: [refuses('push-notifications/setup')],
    steps: [offers('Retry')],
  },
  {
    name: `${path} to a viewer`,
    of: 'owner',
    path,
    given: [isViewer, setupIs(withKeys()), STATS],
    steps: [says('Your role can look at these settings')],
  },
  {
    name: `${path} of a store on Shopify`,
    of: 'owner',
    path,
    given: [setupIs(aSetup({ platform: 'shopify', canHostWorker: false }))],
    steps: [says('Web push does not work on Shopify')],
  },
  {
    name: `${path}, its statistics not to be had`,
    of: 'owner',
    path,
    given: [setupIs(withKeys()), refuses('push-notifications/store-stats')],
    steps: [says('The statistics could not be loaded')],
  },
]).concat({
  name: 'sw.js not to be had',
  of: 'owner',
  path: '/push-setup',
  given: [setupIs(withKeys()), STATS, (page) => page.route('**/push/sw.js', (route) => route.abort())],
  steps: [says('sw.js could not be loaded')],
})
