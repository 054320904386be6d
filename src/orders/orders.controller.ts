import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation } from '@nestjs/swagger';
import { Created, Deleted, Fetched, InStage, Paged, Resource, Updated } from '../api/decorators.js';
import { Refuses } from '../api/errors.js';
import { RunOnce } from '../api/idempotency/repeatable.js';
import type { Page } from '../api/pages.js';
import { ListOrdersQuery, NewOrderDto, OrderChangeDto, OrderDto, OrderPath } from './dto/order.dto.js';
import { NEW_ORDER_EXAMPLES, ORDER_CHANGE_EXAMPLES, ORDER_EXAMPLES, ORDERS_EXAMPLES } from './dto/order.examples.js';
import { animalNotAvailable, orderComplete } from './orders.errors.js';
import { OrdersService } from './orders.service.js';

@Resource('store', 'Orders of animals')
@InStage('experimental')
@Controller('store/orders')
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}

  @Get()
  @ApiOperation({ summary: 'List all orders', description: 'In ascending order of id, a page at a time.' })
  @Paged({ name: 'Orders', type: OrderDto, description: 'A page of orders.', examples: ORDERS_EXAMPLES })
  async listOrders(@Query() query: ListOrdersQuery): Promise<Page<OrderDto>> {
    return (await this.orders.list(query)).map((order) => OrderDto.from(order));
  }

  @Post()
  @ApiOperation({ summary: 'Order an animal', description: 'Assigns the id. The animal becomes `pending`.' })
  @ApiBody({ type: NewOrderDto, examples: NEW_ORDER_EXAMPLES })
  @Created({ type: OrderDto, description: 'The order that was added.', examples: ORDER_EXAMPLES })
  @Refuses(animalNotAvailable)
  createOrder(@Body() newOrder: NewOrderDto, @RunOnce() runOnce: RunOnce): Promise<OrderDto> {
    return runOnce(async (manager) => OrderDto.from(await this.orders.add(newOrder, manager)));
  }

  @Get(':orderId')
  @ApiOperation({ summary: 'Get an order', description: 'Returns the order with this id.' })
  @Fetched({ type: OrderDto, description: 'The order.', examples: ORDER_EXAMPLES })
  async getOrder(@Param() { orderId }: OrderPath): Promise<OrderDto> {
    return OrderDto.from(await this.orders.get(orderId));
  }

  @Patch(':orderId')
  @ApiOperation({
    summary: 'Change an order',
    description: 'Changes the fields that are sent. With a complete order, the animal is `sold`, which is final.',
  })
  @ApiBody({ type: OrderChangeDto, examples: ORDER_CHANGE_EXAMPLES })
  @Updated({ type: OrderDto, description: 'The changed order.', examples: ORDER_EXAMPLES })
  @Refuses(orderComplete)
  updateOrder(
    @Param() { orderId }: OrderPath,
    @Body() orderChange: OrderChangeDto,
    @RunOnce() runOnce: RunOnce,
  ): Promise<OrderDto> {
    return runOnce(async (manager) => OrderDto.from(await this.orders.update(orderId, orderChange, manager)));
  }

  @Delete(':orderId')
  @ApiOperation({ summary: 'Delete an order', description: 'The animal becomes `available` again.' })
  @Deleted({ description: 'The order was deleted.' })
  @Refuses(orderComplete)
  deleteOrder(@Param() { orderId }: OrderPath, @RunOnce() runOnce: RunOnce): Promise<void> {
    return runOnce((manager) => this.orders.delete(orderId, manager));
  }
}
