import { BarePage } from '../../kits/page/BarePage.tsx'
import { ScreenFailed } from './ScreenFailed.tsx'

/** Error page if the frame itself fails. */
export function RouteFailed() {
  return (
    <BarePage title="Something went wrong">
      <ScreenFailed />
    </BarePage>
  )
}
