import { Card, Text, Title } from '@mantine/core'
import { IconAlertTriangle, IconChevronRight, IconCircleCheck, IconMinus } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { SendingSection, SendingState } from '../../../shared/delivery/sending.ts'
import { capabilities } from '../../../shared/platforms/platforms.ts'
import { screens } from '../../../shared/screens.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import { useSendingStates } from '../../features/stores/sending-queries.ts'
import { ConnectedTab } from './ConnectedTab.tsx'

/** Overview of the sending set-up, with links to each screen. */
export const SendingTab = () => (
  <ConnectedTab>
    {(store) => <Overview key={store.id} storeId={store.id} takesPush={capabilities[store.platform].pushHost} />}
  </ConnectedTab>
)

function Overview({ storeId, takesPush }: { storeId: string; takesPush: boolean }) {
  const states = useSendingStates(storeId)
  return (
    <Card component="section" aria-label="Sending">
      <Title order={2}>Sending</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="sm">
        Sender, mail server and channels of your messages.
      </Text>
      {states.isPending && <LoadingList count={7} />}
      {states.error && (
        <Failed title="The sending status could not be loaded" error={states.error} onRetry={() => states.refetch()} />
      )}
      {states.data && (
        <ul className="sending-list">
          {sendingScreens.map((screen) => {
            const state = states.data.sections.find(({ id }) => id === screen.id)
            return state && <Row key={screen.id} path={screen.path} title={screen.title} state={state} />
          })}
          <li>
            <Link to="/push-notifications" className="sending-row">
              <span className="sending-words">
                <span className="sending-title">Web push</span>
                <span className="sending-state">
                  {takesPush ? 'Reminders in your shoppers’ browsers' : 'Does not work on Shopify'}
                </span>
              </span>
              <IconChevronRight size={18} aria-hidden className="sending-go" />
            </Link>
          </li>
        </ul>
      )}
    </Card>
  )
}

const badges = {
  set: { tone: 'good', icon: IconCircleCheck, label: 'Set up' },
  attention: { tone: 'warn', icon: IconAlertTriangle, label: 'Needs attention' },
  none: { tone: 'quiet', icon: IconMinus, label: 'Not set up' },
} as const

function Row({ path, title, state }: { path: string; title: string; state: SendingState }) {
  return (
    <li>
      <Link to={path} className="sending-row">
        <span className="sending-words">
          <span className="sending-title">{title}</span>
          <span className="sending-state">{state.words}</span>
        </span>
        <StatusBadge {...badges[state.state]} />
        <IconChevronRight size={18} aria-hidden className="sending-go" />
      </Link>
    </li>
  )
}

const BELOW = '/settings/sending/'

/** The screens of Settings, Sending, in order; each has its own address. */
const sendingScreens = screens
  .filter(({ path }) => path.startsWith(BELOW))
  .map(({ path, title }) => ({ id: path.slice(BELOW.length) as SendingSection, path, title }))
