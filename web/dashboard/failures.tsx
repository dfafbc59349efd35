import { Button } from '@mantine/core'
import { IconPlugConnectedX } from '@tabler/icons-react'
import { Link } from 'react-router'
import { Empty } from '../ui/Empty.tsx'
import { Notice } from '../ui/Notice.tsx'

/** The store cannot be read. Figures would be outdated, so none are shown (A 8). */
export function StoreFailed({ text }: { text: string }) {
  return (
    <div role="alert">
      <Empty icon={IconPlugConnectedX} title="The dashboard cannot be shown" text={text}>
        <div className="dashboard-ways">
          <Button onClick={() => window.location.reload()}>Try Again</Button>
          <Button component={Link} to="/settings" variant="default">
            Open settings
          </Button>
        </div>
      </Empty>
    </div>
  )
}

export function DashboardWarning({ text, onRetry }: { text: string; onRetry: () => unknown }) {
  return (
    <Notice tone="warn" title="Dashboard Warning" isLive>
      <div className="dashboard-ways">
        <span>{text}</span>
        <Button size="compact-sm" variant="default" onClick={() => void onRetry()}>
          Retry
        </Button>
      </div>
    </Notice>
  )
}
