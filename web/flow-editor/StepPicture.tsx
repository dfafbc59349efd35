import { Skeleton, Text } from '@mantine/core'
import { useInViewport } from '@mantine/hooks'
import { useState } from 'react'
import { MailFrame } from '../ui/MailFrame.tsx'
import { type Shown, useRenderedPreview } from './Preview.tsx'

/** Height of the mail before scaling. */
const MAIL_HEIGHT = 900

/** Thumbnail of a message. Decorative: the text beside it describes it. */
export function StepPicture({ approved, cart, ...shown }: Shown & { approved: string | null; cart: string | null }) {
  const { ref, inViewport } = useInViewport()
  const [isSeen, setSeen] = useState(false)
  if (inViewport && !isSeen) setSeen(true)
  return (
    <div ref={ref} className="step-picture" aria-hidden>
      {shown.channel === 'whatsapp' ? <Bubble text={approved ?? ''} /> : isSeen && <Picture {...shown} cart={cart} />}
    </div>
  )
}

function Picture({ cart, ...shown }: Shown & { cart: string | null }) {
  const { made } = useRenderedPreview(shown, cart)
  const message = made.data
  if (!message) return made.error ? null : <Skeleton h="100%" />
  if (shown.channel === 'email') {
    return (
      <div className="step-mail" inert>
        <MailFrame html={message.html} title="" height={MAIL_HEIGHT} />
      </div>
    )
  }
  if (shown.channel === 'push') {
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
  return <Bubble text={message.text} />
}

const Bubble = ({ text }: { text: string }) => (
  <Text fz={10} className="step-bubble" lineClamp={8}>
    {text}
  </Text>
)
