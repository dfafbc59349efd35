import { BarePage } from '../shell/BarePage.tsx'
import { ScreenFailed } from './ScreenFailed.tsx'

/** Where the frame itself could not be shown. */
export function RouteFailed() {
  return (
    <BarePage title="Something went wrong">
      <ScreenFailed />
    </BarePage>
  )
}
