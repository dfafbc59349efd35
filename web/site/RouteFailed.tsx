import { Button } from '@mantine/core'
import { BarePage } from '../shell/BarePage.tsx'
import { Notice } from '../ui/Notice.tsx'

/** A screen that broke, or whose file is gone because a newer version was installed meanwhile. */
export function RouteFailed() {
  return (
    <BarePage title="Something went wrong">
      <Notice tone="bad" title="This page could not be shown" isLive>
        <p>Reload to get the current version of Recoup. What you had saved is safe.</p>
        <Button size="xs" variant="default" onClick={() => location.reload()}>
          Reload
        </Button>
      </Notice>
    </BarePage>
  )
}
