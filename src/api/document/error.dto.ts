import { ApiProperty, ApiSchema } from '@nestjs/swagger';

@ApiSchema({ name: 'Error', description: 'The body of every answer that is not a success.' })
export class ErrorDto {
  @ApiProperty({
    description: 'Machine-readable error code. Codes are permanent; new ones may be added.',
    pattern: '^[a-z]+(_[a-z]+)*$',
    example: 'not_found',
  })
  readonly code!: string;

  @ApiProperty({ description: 'Human-readable description.', example: 'There is no such animal.' })
  readonly message!: string;

  @ApiProperty({
    type: 'integer',
    description: 'The HTTP status code of the response.',
    minimum: 400,
    maximum: 599,
    example: 404,
  })
  readonly status!: number;
}
