// What a live connection needs, in one file: it loads after the screen.
export { applyEvent, catchUp } from '../notifications/live-events.ts'
export * as socket from './socket.ts'
