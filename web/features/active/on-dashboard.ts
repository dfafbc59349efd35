// What the dashboard loads after its figures, in one file.
export { ActiveNow } from './ActiveNow.tsx'
export { DemoGuide } from './DemoGuide.tsx'
