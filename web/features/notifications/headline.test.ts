import { expect, test } from 'vitest'
import { readHeadline } from './headline.ts'

const cart = { title: 'Cart abandoned', message: 'Anna abandoned a cart with 2 items.' }

test('a cart is named by its product and shopper', () => {
  const data = { product: 'Sunday Stoneware Mug', customer: 'Anna', itemCount: 2 }
  expect(readHeadline({ type: 'cart_abandoned', ...cart, data })).toEqual({
    title: 'Sunday Stoneware Mug · Anna',
    message: 'Cart abandoned, 2 items',
  })
  const recovered = { title: 'Cart recovered', message: 'Anna came back and bought.' }
  expect(readHeadline({ type: 'cart_recovered', ...recovered, data: { product: 'Mug', customer: 'Anna' } })).toEqual({
    title: 'Mug · Anna',
    message: 'Cart recovered',
  })
})

test('without a product, for a summary and for other types the text stays', () => {
  expect(readHeadline({ type: 'cart_abandoned', ...cart, data: { customer: 'Anna', itemCount: 2 } })).toEqual(cart)
  expect(readHeadline({ type: 'cart_abandoned', ...cart, data: { product: null, customer: 'Anna' } })).toEqual(cart)
  expect(readHeadline({ type: 'email_sent', ...cart, data: { product: 'Mug', customer: 'Anna' } })).toEqual(cart)
})
