import { screens } from '../../shared/screens.ts'
import type { SendingSection } from '../../shared/sending.ts'

const BELOW = '/settings/sending/'

/** The screens of Settings, Sending, in order; each has its own address. */
export const sendingScreens = screens
  .filter(({ path }) => path.startsWith(BELOW))
  .map(({ path, title }) => ({ id: path.slice(BELOW.length) as SendingSection, path, title }))
