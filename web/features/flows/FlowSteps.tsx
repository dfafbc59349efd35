import { Text } from '@mantine/core'
import type { FlowChannels, FlowStep, FlowView } from '../../../shared/marketing/flows.ts'
import { useStore } from '../../core/access/queries.ts'
import { formatCounted } from '../../core/ui/format.ts'
import { formatSinceAbandonment } from '../../kits/flows/elapsed.ts'
import { MessagePicture, PictureFrame, TextBubble } from '../../kits/flows/MessagePicture.tsx'
import { usePreview } from '../../kits/flows/queries.ts'
import { channelNames, formatVariables } from '../../kits/flows/rules.ts'
import { usePreviewCart } from '../../kits/message-editor/queries.ts'

interface Props {
  flow: FlowView
  approved: FlowChannels['whatsapp']['template']
}

/** More would not fit beside the flow's figure. */
const MAX_SHOWN = 4

/** The messages of a flow as thumbnails, each with its subject and time. */
export function FlowSteps({ flow, approved }: Props) {
  const { id, steps } = flow
  const store = useStore()
  const known = store ? { store_name: store.name } : {}
  const shown = steps.length > MAX_SHOWN ? steps.slice(0, MAX_SHOWN - 1) : steps
  const others = steps.length - shown.length
  return (
    <ol className="flow-mails" aria-label={`Messages of ${flow.name}`}>
      {shown.map((step) => (
        <li key={step.id} className="flow-mail">
          <PictureFrame>
            {() =>
              step.channel === 'whatsapp' ? (
                <TextBubble text={approved ?? ''} />
              ) : (
                <Thumbnail flowId={id} stepId={step.id} channel={step.channel} />
              )
            }
          </PictureFrame>
          <div className="flow-mail-text">
            <Text fz="sm" fw={550} lineClamp={3} style={{ overflowWrap: 'anywhere' }}>
              {formatVariables(describeContent(step), known)}
            </Text>
            <Text fz="xs" c="dimmed">
              {formatSinceAbandonment(step.delayMinutes)}
            </Text>
          </div>
        </li>
      ))}
      {others > 0 && <li className="flow-mail-more">and {formatCounted(others, 'more message')}</li>}
    </ol>
  )
}

/** What a shopper reads first. */
function describeContent({ channel, subject, pushTitle, sms, templateName }: FlowStep): string {
  if (channel === 'email') return subject
  if (channel === 'push') return `${channelNames.push}: ${pushTitle}`
  return channel === 'sms' ? `${channelNames.sms}: ${sms}` : `${channelNames.whatsapp}: ${templateName}`
}

interface ThumbnailProps {
  flowId: string
  stepId: string
  channel: FlowStep['channel']
}

function Thumbnail({ flowId, stepId, channel }: ThumbnailProps) {
  const cartId = usePreviewCart(channel)
  const preview = usePreview(flowId, cartId === null ? null : { stepId, cartId })
  return <MessagePicture channel={channel} message={preview.data} hasFailed={preview.error !== null} />
}
