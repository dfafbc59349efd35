import '../settings/settings.css'
import './campaigns.css'
import { Button, Stack } from '@mantine/core'
import { IconCopy } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useNavigate, useParams, useSearchParams } from 'react-router'
import { type CampaignView, campaignTexts } from '../../shared/campaigns.ts'
import { getErrorText } from '../accounts/queries.ts'
import { ApiError } from '../api.ts'
import { useCanSend } from '../carts/useTextAction.ts'
import { Failed } from '../ui/Failed.tsx'
import { LoadingCards, LoadingTitle } from '../ui/Loading.tsx'
import { Notice } from '../ui/Notice.tsx'
import { PageTitle } from '../ui/PageTitle.tsx'
import { formatLongStoreTime } from '../ui/times.ts'
import { useTabInSight } from '../ui/useTabInSight.ts'
import { type ActionResult, useCampaignActions } from './actions.tsx'
import { Banner } from './Banner.tsx'
import { CampaignDialog } from './CampaignDialog.tsx'
import { CampaignEditor } from './CampaignEditor.tsx'
import { StatusMark } from './parts.tsx'
import { useCampaign } from './queries.ts'
import { Report } from './Report.tsx'
import { RowActions } from './RowActions.tsx'
import { copyCampaign, getStepTitle } from './rules.ts'
import { useStoreClock } from './StoreTime.tsx'
import { findStandstill, type Standstill } from './standstill.ts'
import { chooseFirstTab, hasSentMessages, type Tab, tabs } from './tabs.ts'

/** One campaign: its four steps and its report (area decision 48). */
export function CampaignPage() {
  const { campaignId: id = '' } = useParams()
  const campaign = useCampaign(id)
  if (campaign.data) return <Content key={id} campaign={campaign.data} />
  if (campaign.isPending) {
    return (
      <>
        <LoadingTitle />
        <LoadingCards count={2} />
      </>
    )
  }
  const isMissing = campaign.error instanceof ApiError && [400, 404].includes(campaign.error.status)
  return (
    <>
      <PageTitle title="Campaign" />
      {isMissing ? (
        <Notice tone="warn" title="Campaign not found">
          <Link to="/campaigns">See all campaigns</Link>
        </Notice>
      ) : (
        <Failed
          title={campaignTexts.notLoaded}
          error={new Error(getErrorText(campaign.error, campaignTexts.notFetched))}
          onRetry={() => campaign.refetch()}
        />
      )}
    </>
  )
}

function Content({ campaign }: { campaign: CampaignView }) {
  const [search] = useSearchParams()
  const tab = tabs.find((each) => each === search.get('tab')) ?? chooseFirstTab(campaign)
  const navigate = useNavigate()
  const [result, setResult] = useState<ActionResult | null>(null)
  const [isCopying, setCopying] = useState(false)
  const standstill = findStandstill(campaign)
  const mayWrite = useCanSend()
  const clock = useStoreClock()
  const { act, dialog, isBusy } = useCampaignActions(
    setResult,
    (action) => action === 'delete' && navigate('/campaigns'),
  )
  const choose = (next: Tab) => navigate({ search: `?tab=${next}` }, { preventScrollReset: true })
  return (
    <>
      <PageTitle
        title={campaign.name}
        mark={<StatusMark status={campaign.status} />}
        text={campaign.nextRunAt ? `Runs next on ${formatLongStoreTime(campaign.nextRunAt, clock)}.` : undefined}
      >
        <RowActions campaign={campaign} mayWrite={mayWrite} isBusy={isBusy} isOnItsPage onAction={act} />
        {mayWrite && (
          <Button variant="default" leftSection={<IconCopy size={16} aria-hidden />} onClick={() => setCopying(true)}>
            Duplicate
          </Button>
        )}
      </PageTitle>
      <Stack gap="md">
        {standstill && <WhyNot standstill={standstill} />}
        {result && <Banner result={result} onDismiss={() => setResult(null)} />}
        <Tabs here={tab} type={campaign.type} />
        {tab !== 'report' && hasSentMessages(campaign) && <Notice tone="info">{campaignTexts.sentKept}</Notice>}
        {tab === 'report' && <Report campaign={campaign} />}
        <CampaignEditor campaign={campaign} step={tab === 'report' ? null : tab} onStep={choose} />
      </Stack>
      {dialog}
      <CampaignDialog
        isOpen={isCopying}
        name={`copy:${campaign.id}`}
        start={() => copyCampaign(campaign, clock.zone, Date.now())}
        onClose={() => setCopying(false)}
        onCreated={({ id }) => navigate(`/campaigns/${id}`)}
      />
    </>
  )
}

function Tabs({ here, type }: { here: Tab; type: CampaignView['type'] }) {
  const row = useTabInSight(here)
  return (
    <nav ref={row} className="tabs campaign-tabs" aria-label="Campaign">
      {tabs.map((each) => (
        <Link key={each} to={`?tab=${each}`} className="tab" aria-current={each === here ? 'page' : undefined}>
          {each === 'report' ? 'Report' : getStepTitle(each, type)}
        </Link>
      ))}
    </nav>
  )
}

const WhyNot = ({ standstill: { title, text, isByPlan } }: { standstill: Standstill }) => (
  <Notice tone="warn" title={title}>
    {text}
    {isByPlan && (
      <>
        {' '}
        <Link to="/pricing">See plans</Link>
      </>
    )}
  </Notice>
)
