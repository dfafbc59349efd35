// The menus of the header and the strips below it, in one file: they load right after every screen.
export { AccountMenu } from './AccountMenu.tsx'
export { DemoStrip } from './DemoStrip.tsx'
export { SendingPausedBanner } from './SendingPausedBanner.tsx'
export { StoreMenu } from './StoreMenu.tsx'
