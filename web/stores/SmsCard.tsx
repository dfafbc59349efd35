import type { TextChannelView } from '../../shared/text-channels.ts'
import { announce } from '../ui/announce.ts'
import { TextChannelFrame } from './TextChannelFrame.tsx'
import { TwilioForm } from './TwilioForm.tsx'
import { useSaveSms } from './text-queries.ts'

export function SmsCard({ view }: { view: TextChannelView }) {
  return (
    <TextChannelFrame
      view={view}
      about={`${view.state === 'operator' ? '' : 'Sent by Twilio, through your own account: Twilio bills you directly. '}Shoppers get an SMS only with their express consent.`}
    >
      <SmsForm key={view.version} view={view} />
    </TextChannelFrame>
  )
}

function SmsForm({ view }: { view: TextChannelView }) {
  const save = useSaveSms()
  return (
    <TwilioForm
      view={view}
      isKept={view.state === 'ready'}
      save={save}
      onSave={(credentials, onError) =>
        save.mutate(credentials, { onSuccess: () => announce('SMS settings saved'), onError })
      }
    />
  )
}
