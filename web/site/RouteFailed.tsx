import { BarePage } from '../shell/BarePage.tsx'
import { Failed } from '../ui/Failed.tsx'

const broken = new Error('Reload to get the current version of Recoup. What you had saved is safe.')

/** A screen that broke, or whose file is gone because a newer version was installed meanwhile. */
export function RouteFailed() {
  return (
    <BarePage title="Something went wrong">
      <Failed title="This page could not be shown" error={broken} onRetry={() => location.reload()} />
    </BarePage>
  )
}
