import './flows.css'
import { Skeleton, Text } from '@mantine/core'
import { useInViewport } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import type { FlowChannel } from '../../../shared/carts/flow-conditions.ts'
import type { MessagePreview } from '../../../shared/delivery/reminders.ts'
import { MailFrame } from '../../core/ui/MailFrame.tsx'

/** Height of the mail before scaling. */
const MAIL_HEIGHT = 900

/** Frame of a thumbnail; its content is made once it is in sight. Decorative: the text beside it describes it. */
export function PictureFrame({ children }: { children: () => ReactNode }) {
  const { ref, inViewport } = useInViewport()
  const [isVisible, setVisible] = useState(false)
  if (inViewport && !isVisible) setVisible(true)
  return (
    <div ref={ref} className="step-picture" aria-hidden>
      {isVisible && children()}
    </div>
  )
}

interface Props {
  channel: FlowChannel
  /** undefined: not rendered yet. */
  message: Pick<MessagePreview, 'html' | 'subject' | 'text'> | undefined
  hasFailed: boolean
}

/** Thumbnail of a rendered message. */
export function MessagePicture({ channel, message, hasFailed }: Props) {
  if (!message) return hasFailed ? null : <Skeleton h="100%" />
  if (channel === 'email') {
    return (
      <div className="step-mail" inert>
        <MailFrame html={message.html} title="" height={MAIL_HEIGHT} />
      </div>
    )
  }
  if (channel === 'push') {
    return (
      <div className="step-note">
        <Text fz={10} fw={620} lineClamp={2}>
          {message.subject}
        </Text>
        <Text fz={10} lineClamp={5}>
          {message.text}
        </Text>
      </div>
    )
  }
  return <TextBubble text={message.text} />
}

export const TextBubble = ({ text }: { text: string }) => (
  <Text fz={10} className="step-bubble" lineClamp={8}>
    {text}
  </Text>
)
