import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { Refuses } from '../api/errors/refuses.decorator.js';
import { Created } from '../api/responses/created.decorator.js';
import { Deleted } from '../api/responses/deleted.decorator.js';
import { Updated } from '../api/responses/updated.decorator.js';
import { Resource } from '../api/document/resource.decorator.js';
import { InStage } from '../api/document/stability.js';
import type { Page } from '../api/paging/page.js';
import { Paged } from '../api/paging/paged.decorator.js';
import { ListOrdersQuery } from './dto/list-orders.query.js';
import { NewOrderDto } from './dto/new-order.dto.js';
import { OrderDto } from './dto/order.dto.js';
import {
  NEW_ORDER_EXAMPLES,
  ORDER_CHANGE_EXAMPLES,
  ORDER_EXAMPLES,
  ORDERS_EXAMPLES,
} from './dto/order.examples.js';
import { OrderChangeDto } from './dto/order-change.dto.js';
import { OrderPath } from './dto/order.path.js';
import { animalNotAvailable, noSuchAnimal, orderComplete } from './orders.errors.js';
import { OrdersService } from './orders.service.js';

@Resource('store', 'Orders of animals')
@Controller('store/orders')
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}

  @Get()
  @ApiOperation({
    summary: 'List all orders',
    description: 'Lists orders in ascending order of id, a page at a time.',
  })
  @Paged({
    name: 'Orders',
    item: OrderDto,
    description: 'A page of orders.',
    examples: ORDERS_EXAMPLES,
  })
  @InStage('experimental')
  async listOrders(@Query() query: ListOrdersQuery): Promise<Page<OrderDto>> {
    return (await this.orders.list(query)).map((order) => OrderDto.from(order));
  }

  @Post()
  @ApiOperation({
    summary: 'Order an animal',
    description: 'Adds an order and assigns its id. The animal becomes `pending`.',
  })
  @ApiBody({ type: NewOrderDto, examples: NEW_ORDER_EXAMPLES })
  @Created({
    type: OrderDto,
    description: 'The order that was added.',
    examples: ORDER_EXAMPLES,
    at: ({ id }) => `/store/orders/${id}`,
    readBy: 'getOrder',
    parameter: 'orderId',
  })
  @Refuses(noSuchAnimal, animalNotAvailable)
  @InStage('experimental')
  async createOrder(@Body() newOrder: NewOrderDto): Promise<OrderDto> {
    return OrderDto.from(await this.orders.add(newOrder));
  }

  @Get(':orderId')
  @ApiOperation({ summary: 'Get an order', description: 'Returns the order with this id.' })
  @ApiOkResponse({ type: OrderDto, description: 'The order.', examples: ORDER_EXAMPLES })
  @InStage('experimental')
  async getOrder(@Param() { orderId }: OrderPath): Promise<OrderDto> {
    return OrderDto.from(await this.orders.get(orderId));
  }

  @Patch(':orderId')
  @ApiOperation({
    summary: 'Change an order',
    description: 'Changes the fields that are sent. With a complete order, the animal is `sold`.',
  })
  @ApiBody({ type: OrderChangeDto, examples: ORDER_CHANGE_EXAMPLES })
  @Updated({
    type: OrderDto,
    description: 'The changed order.',
    examples: ORDER_EXAMPLES,
    path: OrderPath,
    service: OrdersService,
    find: (orders, { orderId }) => orders.get(orderId),
  })
  @Refuses(orderComplete)
  @InStage('experimental')
  async updateOrder(@Param() { orderId }: OrderPath, @Body() change: OrderChangeDto): Promise<OrderDto> {
    return OrderDto.from(await this.orders.update(orderId, change));
  }

  @Delete(':orderId')
  @ApiOperation({ summary: 'Delete an order', description: 'The animal becomes `available` again.' })
  @Deleted({ description: 'The order was deleted.' })
  @Refuses(orderComplete)
  @InStage('experimental')
  async deleteOrder(@Param() { orderId }: OrderPath): Promise<void> {
    await this.orders.delete(orderId);
  }
}
