import { Button, Tooltip } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { Link } from 'react-router'
import { type AnalyticsRange, analyticsTexts } from '../../shared/analytics.ts'
import { featurePlans, type PlanKey } from '../../shared/billing.ts'
import { useHasPermission } from '../access/queries.ts'
import { getErrorText } from '../accounts/queries.ts'
import { DownloadButton } from '../ui/Download.tsx'
import { Notice } from '../ui/Notice.tsx'
import { useExportAnalytics } from './queries.ts'

interface Props {
  range: AnalyticsRange
  /** null while unknown. */
  plan: PlanKey | null
}

/** B 2: exports all figures of the range; other plans see which plan includes it (decision 100). */
export function ExportButton({ range, plan }: Props) {
  const mayExport = useHasPermission('account:export')
  if (!mayExport) return null
  return plan !== null && !featurePlans.analytics_export.includes(plan) ? <Locked /> : <Export range={range} />
}

function Export({ range }: Pick<Props, 'range'>) {
  const download = useExportAnalytics()
  return (
    <>
      <DownloadButton label="Export" isBusy={download.isPending} onClick={() => download.mutate(range)} />
      {download.error && (
        <Notice tone="bad" isLive>
          {getErrorText(download.error, analyticsTexts.exportFailed)}
        </Notice>
      )}
    </>
  )
}

const Locked = () => (
  <Tooltip label={analyticsTexts.exportPlan} multiline w={260} events={{ hover: true, focus: true, touch: true }}>
    <Button
      component={Link}
      to="/pricing"
      variant="default"
      leftSection={<IconLock size={16} aria-hidden />}
      aria-label={`Export: ${analyticsTexts.exportPlan}`}
    >
      Export
    </Button>
  </Tooltip>
)
