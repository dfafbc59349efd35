import { formatMoney } from './format.ts'

/** Formats an amount of the API (a decimal number and its currency). */
export function Money({ amount, currency }: { amount: number; currency: string }) {
  return <span className="tabular">{formatMoney(amount, currency)}</span>
}
